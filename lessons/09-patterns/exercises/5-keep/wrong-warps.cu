extern "C" __global__ void count(const int *x, int n, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int all = __syncthreads_count(i < n && x[i] >= 0);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = all;
}

extern "C" __global__ void keep(const int *x, int n, const int *counts, int *out, int *many)
{
    __shared__ int start, taken;
    int tid = threadIdx.x, lane = tid % 32;
    int i = blockIdx.x * blockDim.x + tid;
    int v = i < n ? x[i] : -1, before = 0, at = 0;
    unsigned keepers = __ballot_sync(0xffffffff, v >= 0);
    if (tid == 0)
        start = taken = 0;
    __syncthreads();
    for (int b = tid; b < blockIdx.x; b += blockDim.x)
        before += counts[b];
    if (before)
        atomicAdd(&start, before);
    if (lane == 0)
        at = atomicAdd(&taken, __popc(keepers));
    at = __shfl_sync(0xffffffff, at, 0);
    __syncthreads();
    if (v >= 0)
        out[start + at + __popc(keepers & ((1u << lane) - 1))] = v;
    if (blockIdx.x == gridDim.x - 1 && tid == 0)
        *many = start + counts[blockIdx.x];
}
