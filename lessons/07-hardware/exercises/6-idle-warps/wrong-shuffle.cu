extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    __shared__ int part[8];
    int tid = threadIdx.x, i = 256 * blockIdx.x + tid, sum = i < n ? x[i] : 0;
    for (int k = 16; k; k /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, k);
    if (tid % 32 == 0)
        part[tid / 32] = sum;
    __syncthreads();
    if (tid == 0) {
        for (int k = 1; k < 8; k++)
            sum += part[k];
        sums[blockIdx.x] = sum;
    }
}
