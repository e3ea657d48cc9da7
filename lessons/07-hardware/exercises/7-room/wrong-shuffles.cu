/* A warp fetches a row at a time and adds it up by shuffles. */
extern "C" __global__ void row_sums(const int *x, int *out, int rows)
{
    int lane = threadIdx.x % 32, first = blockIdx.x * 64 + threadIdx.x / 32 * 32, mine = 0;
    for (int i = 0; i < 32 && first + i < rows; i++) {
        int at = (first + i) * 64 + lane, sum = x[at] + x[at + 32];
        for (int step = 16; step; step /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        if (lane == i)
            mine = sum;
    }
    if (first + lane < rows)
        out[first + lane] = mine;
}
