extern __shared__ int shared[];

extern "C" __global__ void block_sum(const int *data, int n, int *sums)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    shared[tid] = i < n ? data[i] : 0;
    __syncthreads();

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2)
        if (tid < stride)
            shared[tid] += shared[tid + stride];

    if (tid == 0) {
        int sum = 0;
        for (int k = 0; k < blockDim.x; k++, i++)
            sum += i < n ? data[i] : 0;
        sums[blockIdx.x] = sum;
    }
}
