// Exercise 1.4 as a tree of another shape: within each warp by shuffles, and then of the warps' sums.
extern "C" __global__ void block_sum(const int *data, int n, int *sums)
{
    extern __shared__ int shared[];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid, warps = (blockDim.x + 31) / 32;
    int sum = i < n ? data[i] : 0;
    for (int half = 16; half > 0; half /= 2) {
        int other = __shfl_down_sync(__activemask(), sum, half);
        if (tid % 32 + half < 32 && tid + half < blockDim.x)
            sum += other;
    }
    if (tid % 32 == 0)
        shared[tid / 32] = sum;
    for (int half = 16; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half && tid + half < warps)
            shared[tid] += shared[tid + half];
    }
    if (tid == 0)
        sums[blockIdx.x] = shared[0];
}
