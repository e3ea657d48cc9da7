/* Exercise 1.1 by someone whose every thread goes through all of the numbers, again and again: the
 * loops end, but not within the budget. */
extern "C" __global__ void square(const int *x, int *y, int n)
{
#pragma unroll 1
    for (int k = 0; k < 4000 * n; k++)
        y[k % n] = x[k % n] * x[k % n];
}
