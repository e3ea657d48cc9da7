extern "C" __global__ void row_sums(const int *x, int rows, int width, int *out)
{
    int lane = threadIdx.x % 32;
    int row = 4 * blockIdx.x + threadIdx.x / 32;
    int sum = 0;
    if (row >= rows)
        return;
    for (int i = 0; lane == 0 && i < width; i++)
        sum += x[row * width + i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        out[row] = sum;
}
