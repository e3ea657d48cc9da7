/* The sum of all calls goes on growing; each call hands in what it added. */
__device__ int total, before;
__device__ unsigned finished;

extern "C" __global__ void add_call(const int *x, int n, int *out, int call)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    int mine = i < n ? x[n * call + i] : 0;
    for (int offset = 16; offset; offset >>= 1)
        mine += __shfl_xor_sync(~0u, mine, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, mine);
    __threadfence();
    __syncthreads();
    if (threadIdx.x || atomicInc(&finished, gridDim.x - 1) != gridDim.x - 1)
        return;
    int now = atomicAdd(&total, 0);
    out[call] = now - before;
    before = now;
}
