/* A tree in shared memory of a fixed size, any number of threads up to it. */
__global__ void add_all(const int *x, int n, int *total)
{
    __shared__ int part[1024];
    unsigned tid = threadIdx.x, first = blockIdx.x * blockDim.x;
    part[tid] = first + tid < n ? x[first + tid] : 0;
    for (unsigned left = blockDim.x; left > 1;) {
        unsigned half = (left + 1) / 2;
        __syncthreads();
        if (tid + half < left)
            part[tid] += part[tid + half];
        left = half;
    }
    if (tid == 0)
        atomicAdd(total, part[0]);
}
