extern "C" __global__ void row_sums(const int *x, int *out, int rows)
{
    __shared__ int tile[64][17];
    int tid = threadIdx.x, first = 64 * blockIdx.x, sum = 0, more = 0;
    int column = tid % 16;
    if (tid >= 32)
        return;
    for (int from = 0; from < 64; from += 16) {
        for (int r = tid / 16; r < 64 && first + r < rows; r += 2)
            tile[r][column] = x[64 * (first + r) + from + column];
        __syncwarp();
        for (int k = 0; k < 16; k++) {
            sum += first + tid < rows ? tile[tid][k] : 0;
            more += first + tid + 32 < rows ? tile[tid + 32][k] : 0;
        }
        __syncwarp();
    }
    if (first + tid < rows)
        out[first + tid] = sum;
    if (first + tid + 32 < rows)
        out[first + tid + 32] = more;
}
