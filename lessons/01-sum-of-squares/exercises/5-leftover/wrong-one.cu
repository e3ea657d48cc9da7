extern __shared__ int shared[];

extern "C" __global__ void block_sum(const int *data, int n, int *sums)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    shared[tid] = i < n ? data[i] : 0;
    __syncthreads();

    if (tid == 0) {
        int sum = 0;
        for (int k = 0; k < blockDim.x; k++)
            sum += shared[k];
        sums[blockIdx.x] = sum;
    }
}
