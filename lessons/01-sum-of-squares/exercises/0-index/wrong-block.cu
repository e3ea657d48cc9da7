extern "C" __global__ void twice(const int *x, int *y)
{
    int i = blockIdx.x;
    y[i] = 2 * x[i];
}
