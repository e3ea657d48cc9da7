/* In pieces: 512 numbers a piece, then a piece of pieces. */
__global__ void sum_up(const float *x, int n, float *sum)
{
    float total = 0, middle = 0, small = 0;
    int count = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        small += x[i];
        if (++count % 64 == 0) {
            middle += small;
            small = 0;
        }
        if (count % 4096 == 0) {
            total += middle;
            middle = 0;
        }
    }
    total += middle + small;
    for (int offset = 1; offset < 32; offset *= 2)
        total += __shfl_xor_sync(~0u, total, offset);
    if (threadIdx.x == 0)
        sum[0] = total;
}
