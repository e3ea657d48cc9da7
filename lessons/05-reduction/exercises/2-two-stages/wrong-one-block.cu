extern "C" __global__ void block_sum(const int *x, int n, int *sums)
{
    __shared__ int part[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    if (blockIdx.x == 0)
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            sum += x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x / 32; k++)
            sum += part[k];
        sums[blockIdx.x] = sum;
    }
}
