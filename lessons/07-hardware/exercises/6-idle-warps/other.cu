/* The sum so far stays in a register; whole warps leave the adding. */
__global__ void fold(const int *x, int n, int *sums)
{
    __shared__ int part[256];
    const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    int sum = 0;
    if (i < n)
        sum = x[i];
    for (int size = blockDim.x; size > 1; size >>= 1) {
        part[tid] = sum;
        __syncthreads();
        if (2 * tid < size)
            sum = part[tid] + part[size - 1 - tid];
        __syncthreads();
    }
    if (!tid)
        sums[blockIdx.x] = sum;
}
