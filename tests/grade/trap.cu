/* Exercise 1.1 by someone who gives up. */
extern "C" __global__ void square(const int *x, int *y, int n)
{
    __trap();
}
