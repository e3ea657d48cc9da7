extern "C" __global__ void triple(const int *x, int *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x)
        y[i] = 3 * x[i];
}
