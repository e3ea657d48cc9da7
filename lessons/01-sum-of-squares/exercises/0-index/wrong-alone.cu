extern "C" __global__ void twice(const int *x, int *y)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < blockDim.x; i++)
            y[blockIdx.x * blockDim.x + i] = 2 * x[blockIdx.x * blockDim.x + i];
}
