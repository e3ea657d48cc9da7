extern __shared__ int shared[];

extern "C" __global__ void block_sum(const int *data, int n, int *sums)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    if (i < n)
        shared[tid] = data[i];
    __syncthreads();
    if (tid == 0)
        for (int k = max(n - i, 0); k < blockDim.x; k++)
            shared[k] = 0;

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            shared[tid] += shared[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        sums[blockIdx.x] = shared[0];
}
