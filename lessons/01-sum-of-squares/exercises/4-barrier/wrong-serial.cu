extern "C" __global__ void block_sum(const int *data, int n, int *sums)
{
    extern __shared__ int shared[];
    int tid = threadIdx.x, lane = tid % 32, i = blockIdx.x * blockDim.x + tid;
    int mine = i < n ? data[i] : 0, sum = 0;
    for (int k = 0; k < 32 && k < blockDim.x; k++) // one number after the other
        sum += __shfl_sync(__activemask(), mine, k);
    if (lane == 0)
        shared[tid / 32] = sum;
    __syncthreads();
    if (tid == 0) {
        sum = 0;
        for (int k = 0; k < (blockDim.x + 31) / 32; k++)
            sum += shared[k];
        sums[blockIdx.x] = sum;
    }
}
