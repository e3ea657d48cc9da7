extern "C" __global__ void triple(const int *x, int *y, int n)
{
    int half = (gridDim.x + 1) / 2, step = half * blockDim.x;
    if (blockIdx.x < half)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
            y[i] = 3 * x[i];
}
