extern "C" __global__ void block_sum(const int *data, int n, int *sums)
{
    if (threadIdx.x == 0) {
        int sum = 0, first = blockIdx.x * blockDim.x;
        for (int i = first; i < first + (int)blockDim.x && i < n; i++)
            sum += data[i];
        sums[blockIdx.x] = sum;
    }
}
