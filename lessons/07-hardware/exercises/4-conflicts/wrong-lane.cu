extern "C" __global__ void row_sums(const int *x, int *out, int rows)
{
    __shared__ int tile[32][33];
    int lane = threadIdx.x, first = 32 * blockIdx.x;
    for (int r = 0; r < 32 && first + r < rows; r++)
        tile[r][lane] = x[32 * (first + r) + lane];
    __syncwarp();
    for (int r = 0; lane == 0 && r < 32 && first + r < rows; r++) {
        int sum = 0;
        for (int k = 0; k < 32; k++)
            sum += tile[r][k];
        out[first + r] = sum;
    }
}
