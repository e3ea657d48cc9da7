extern "C" __global__ void multiply(const int *offsets, const int *columns, const float *values, int rows,
                                    const float *x, float *y)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    int first = offsets[r], end = offsets[r + 1], each = (end - first + 31) / 32;
    float sum = 0;
    for (int i = first + lane * each; i < first + (lane + 1) * each && i < end; i++)
        sum += values[i] * x[columns[i]];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        y[r] = sum;
}
