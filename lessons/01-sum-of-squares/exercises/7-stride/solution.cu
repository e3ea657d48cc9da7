extern "C" __global__ void triple(const int *x, int *y, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        y[i] = 3 * x[i];
}
