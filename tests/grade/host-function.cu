/* Exercise 1.1 by someone who has forgotten __global__. */
extern "C" void square(const int *x, int *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] * x[i];
}

extern "C" __global__ void helper(int *y)
{
    y[0] = 1;
}
