/* One ticket for a block: the warps' numbers meet in shared memory. */
__global__ void keep(const int *__restrict__ data, int n, int *out, int *count)
{
    __shared__ int kept[32], start;
    const int i = threadIdx.x + blockIdx.x * blockDim.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int value = i < n ? data[i] : -1;
    const unsigned mask = __ballot_sync(~0u, value > 1);
    if (!lane)
        kept[warp] = __popc(mask);
    __syncthreads();
    if (!threadIdx.x) {
        int sum = 0;
        for (int w = 0; w < blockDim.x / 32; w++) {
            const int of_warp = kept[w];
            kept[w] = sum;
            sum += of_warp;
        }
        start = sum ? atomicAdd(count, sum) : 0;
    }
    __syncthreads();
    if (value > 1)
        out[start + kept[warp] + __popc(mask << (31 - lane)) - 1] = value;
}
