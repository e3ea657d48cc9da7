extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    extern __shared__ int part[];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    part[tid] = i < n ? x[i] : 0;
    __syncthreads();
    if (tid == 0) {
        int sum = 0;
        for (int k = 0; k < blockDim.x; k++)
            sum += part[k];
        sums[blockIdx.x] = sum;
    }
}
