/* First down to the greatest power of two within the block, then as before. */
__global__ void fold(const int *x, int n, int *sums)
{
    extern __shared__ int part[];
    const int tid = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + tid;
    int power = 1;
    while (2 * power <= size)
        power *= 2;
    part[tid] = i < n ? x[i] : 0;
    __syncthreads();
    if (tid >= power)
        part[tid - power] += part[tid];
    __syncthreads();
    for (int half = power / 2; half > 0; half >>= 1) {
        int more = tid < half ? part[tid + half] : 0;
        __syncthreads();
        if (tid < half)
            part[tid] += more;
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}
