extern "C" __global__ void square(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x >= 32)
        return;
    if (i < n)
        y[i] = x[i] * x[i];
}
