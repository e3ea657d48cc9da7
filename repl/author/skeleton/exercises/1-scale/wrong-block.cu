extern "C" __global__ void scale(int n, float a, const float *x, float *y)
{
    int i = threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
