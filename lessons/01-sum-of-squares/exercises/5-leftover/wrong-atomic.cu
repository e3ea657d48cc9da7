extern "C" __global__ void block_sum(const int *data, int n, int *sums)
{
    __shared__ int sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&sum, data[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}
