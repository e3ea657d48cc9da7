extern "C" __global__ void multiply(const int *offsets, const int *columns, const float *values, int rows,
                                    const float *x, float *y)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows || lane > 0)
        return;
    float sum = 0;
    for (int i = offsets[r]; i < offsets[r + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[r] = sum;
}
