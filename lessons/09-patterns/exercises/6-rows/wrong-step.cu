extern "C" __global__ void multiply(const int *offsets, const int *columns, const float *values, int rows,
                                    const float *x, float *y)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = offsets[r] + lane; i < offsets[r + 1]; i++)
        sum += values[i] * x[columns[i]];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        y[r] = sum;
}
