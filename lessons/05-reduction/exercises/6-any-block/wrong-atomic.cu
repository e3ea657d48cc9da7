extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        sums[blockIdx.x] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&sums[blockIdx.x], x[i]);
}
