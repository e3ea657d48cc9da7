/* Exercise 1.1 by someone whose loop does not end. */
extern "C" __global__ void square(const int *x, int *y, int n)
{
    volatile int go = 1;
    while (go)
        ;
}
