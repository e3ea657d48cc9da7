/* Shuffles within each warp, shared memory between the warps, shuffles again. */
extern "C" __global__ void add_up(const int *data, int n, int *sum)
{
    extern __shared__ int warp_sum[];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += data[i];
    for (int d = 16; d > 0; d /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, d);
    if (lane == 0)
        warp_sum[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        mine = lane < warps ? warp_sum[lane] : 0;
        for (int d = 16; d > 0; d /= 2)
            mine += __shfl_down_sync(0xffffffffu, mine, d);
        if (lane == 0 && mine != 0)
            atomicAdd(sum, mine);
    }
}
