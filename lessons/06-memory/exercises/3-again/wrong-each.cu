__device__ int total[8];
__device__ unsigned finished;

extern "C" __global__ void add_call(const int *x, int n, int *out, int call)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&total[call], x[call * n + i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        unsigned last = gridDim.x - 1;
        if (atomicInc(&finished, last) == last)
            out[call] = atomicAdd(&total[call], 0);
    }
}
