/* Half of the rows' width at a time, and only half of the rows: first 32, then 32. */
__global__ void row_sums(const int *x, int *out, int rows)
{
    __shared__ int tile[2][32 * 17];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int first = blockIdx.x * 64 + warp * 32;
    int *mine = tile[warp];
    int sum = 0;
    for (int piece = 0; piece < 4; piece++) {
        for (int r = lane / 16; r < 32; r += 2)
            if (first + r < rows)
                mine[17 * r + lane % 16] = x[(first + r) * 64 + piece * 16 + lane % 16];
        __syncwarp();
        if (first + lane < rows)
            for (int k = 0; k < 16; k++)
                sum += mine[17 * lane + k];
        __syncwarp();
    }
    if (first + lane < rows)
        out[first + lane] = sum;
}
