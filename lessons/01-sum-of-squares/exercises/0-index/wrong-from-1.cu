extern "C" __global__ void twice(const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    y[i] = 2 * x[i];
}
