extern "C" __global__ void square(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float f = x[i];
        y[i] = (int)(f * f);
    }
}
