extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    __shared__ int part[256];
    int tid = threadIdx.x, i = 256 * blockIdx.x + tid;
    part[tid] = i < n ? x[i] : 0;
    __syncthreads();
    if (tid == 0) {
        int sum = 0;
        for (int k = 0; k < 256; k++)
            sum += part[k];
        sums[blockIdx.x] = sum;
    }
}
