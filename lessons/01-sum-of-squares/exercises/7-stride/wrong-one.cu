extern "C" __global__ void triple(const int *x, int *y, int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; i++)
            y[i] = 3 * x[i];
}
