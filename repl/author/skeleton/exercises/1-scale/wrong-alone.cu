extern "C" __global__ void scale(int n, float a, const float *x, float *y)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; i++)
            y[i] = a * x[i];
}
