extern "C" __global__ void square(const int *x, int *y, int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; i++)
            y[i] = x[i] * x[i];
}
