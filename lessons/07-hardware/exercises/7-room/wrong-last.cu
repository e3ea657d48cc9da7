extern "C" __global__ void row_sums(const int *x, int *out, int rows)
{
    __shared__ int tile[64][17];
    int tid = threadIdx.x, first = 64 * blockIdx.x, sum = 0;
    int column = tid % 16;
    for (int from = 0; from < 48; from += 16) {
        for (int r = tid / 16; r < 64 && first + r < rows; r += 4)
            tile[r][column] = x[64 * (first + r) + from + column];
        __syncthreads();
        for (int k = 0; k < 16 && first + tid < rows; k++)
            sum += tile[tid][k];
        __syncthreads();
    }
    if (first + tid < rows)
        out[first + tid] = sum;
}
