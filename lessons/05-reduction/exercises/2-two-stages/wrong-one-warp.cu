extern "C" __global__ void block_sum(const int *x, int n, int *sums)
{
    int first = blockIdx.x * blockDim.x, sum = 0;
    if (threadIdx.x >= 32)
        return;
    for (int i = first + threadIdx.x; i < first + (int)blockDim.x && i < n; i += 32)
        sum += x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}
