extern "C" __global__ void twice(const int *x, int *y)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < gridDim.x * blockDim.x; i++)
            y[i] = 2 * x[i];
}
