extern "C" __global__ void square(const int *x, int *y, int n)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i];
}
