extern "C" __global__ void row_sums(const int *x, int rows, int width, int *out)
{
    __shared__ int part[128];
    int lane = threadIdx.x % 32, row = 4 * blockIdx.x + threadIdx.x / 32, sum = 0;
    if (row >= rows)
        return;
    for (int i = lane; i < width; i += 32)
        sum += x[row * width + i];
    part[threadIdx.x] = sum;
    __syncwarp();
    if (lane == 0) {
        sum = 0;
        for (int k = 0; k < 32; k++)
            sum += part[threadIdx.x + k];
        out[row] = sum;
    }
}
