/* Running sums by shuffles, for the threads and for the blocks before. */
__global__ void count(const int *x, int n, int *counts)
{
    __shared__ int all;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        all = 0;
    __syncthreads();
    if (i < n && x[i] >= 0)
        atomicAdd(&all, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        counts[blockIdx.x] = all;
}

__global__ void keep(const int *x, int n, const int *counts, int *out, int *many)
{
    __shared__ int warps[32], blocks[32];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    int v = i < n ? x[i] : -1, mine = v >= 0, upto = mine, before = 0;
    for (int b = tid; b < blockIdx.x; b += blockDim.x)
        before += counts[b];
    for (int offset = 1; offset < 32; offset *= 2) {
        int below = __shfl_up_sync(0xffffffff, upto, offset);
        if (tid % 32 >= offset)
            upto += below;
        before += __shfl_xor_sync(0xffffffff, before, offset);
    }
    if (tid % 32 == 31)
        warps[tid / 32] = upto;
    if (tid % 32 == 0)
        blocks[tid / 32] = before;
    __syncthreads();
    int place = upto - mine;
    for (int w = 0; w < blockDim.x / 32; w++)
        place += blocks[w] + (w < tid / 32 ? warps[w] : 0);
    if (mine)
        out[place] = v;
    if (blockIdx.x == gridDim.x - 1 && tid == blockDim.x - 1)
        *many = place + mine;
}
