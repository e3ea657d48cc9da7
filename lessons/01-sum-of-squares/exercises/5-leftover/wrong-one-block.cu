extern __shared__ int shared[];

extern "C" __global__ void block_sum(const int *data, int n, int *sums)
{
    int tid = threadIdx.x, mine = 0;
    if (blockIdx.x == 0)
        for (int i = tid; i < n; i += blockDim.x)
            mine += data[i];
    shared[tid] = mine;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            shared[tid] += shared[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = shared[0];
}
