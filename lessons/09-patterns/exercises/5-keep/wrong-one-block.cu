extern "C" __global__ void count(const int *x, int n, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int all = __syncthreads_count(i < n && x[i] >= 0);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = all;
}

extern "C" __global__ void keep(const int *x, int n, const int *counts, int *out, int *many)
{
    __shared__ int warps[32];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, start = 0;
    if (blockIdx.x)
        return;
    for (int first = 0; first < n; first += blockDim.x) {
        int v = first + tid < n ? x[first + tid] : -1;
        unsigned keepers = __ballot_sync(0xffffffff, v >= 0);
        if (lane == 0)
            warps[warp] = __popc(keepers);
        __syncthreads();
        int at = start;
        for (int w = 0; w < blockDim.x / 32; w++) {
            at += w < warp ? warps[w] : 0;
            start += warps[w];
        }
        if (v >= 0)
            out[at + __popc(keepers & ((1u << lane) - 1))] = v;
        __syncthreads();
    }
    if (tid == 0)
        *many = start;
}
