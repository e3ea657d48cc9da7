extern "C" __global__ void twice(const int *x, int *y)
{
    int i = threadIdx.x;
    y[i] = 2 * x[i];
}
