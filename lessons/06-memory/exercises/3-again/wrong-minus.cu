__device__ int total;
__device__ unsigned finished;

extern "C" __global__ void add_call(const int *x, int n, int *out, int call)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&total, x[call * n + i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        unsigned last = gridDim.x - 1;
        if (atomicInc(&finished, last) == last)
            out[call] = atomicAdd(&total, 0) - (call > 0 ? out[call - 1] : 0);
    }
}
