// Each thread takes eight numbers in a row.
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    for (int i = first; i < first + 8 && i < n; i++)
        y[i] = a * x[i] + y[i];
}
