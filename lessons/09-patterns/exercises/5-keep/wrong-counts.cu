extern "C" __global__ void count(const int *x, int n, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int all = __syncthreads_count(i < n && x[i] >= 0);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = all;
}

extern "C" __global__ void keep(const int *x, int n, const int *counts, int *out, int *many)
{
    __shared__ int warps[32], start;
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    int i = blockIdx.x * blockDim.x + tid;
    int v = i < n ? x[i] : -1;
    unsigned keepers = __ballot_sync(0xffffffff, v >= 0);
    if (tid == 0) {
        start = 0;
        for (int b = 0; b < blockIdx.x; b++)
            start += counts[b];
    }
    if (lane == 0)
        warps[warp] = __popc(keepers);
    __syncthreads();
    int at = start;
    for (int w = 0; w < warp; w++)
        at += warps[w];
    if (v >= 0)
        out[at + __popc(keepers & ((1u << lane) - 1))] = v;
    if (blockIdx.x == gridDim.x - 1 && tid == 0)
        *many = start + counts[blockIdx.x];
}
