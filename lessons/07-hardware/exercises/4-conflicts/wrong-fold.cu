extern "C" __global__ void row_sums(const int *x, int *out, int rows)
{
    int lane = threadIdx.x, first = 32 * blockIdx.x;
    for (int r = 0; r < 32 && first + r < rows; r++) {
        int sum = x[32 * (first + r) + lane];
        for (int k = 16; k; k /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, k);
        if (lane == 0)
            out[first + r] = sum;
    }
}
