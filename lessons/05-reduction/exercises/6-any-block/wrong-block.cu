extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    extern __shared__ int part[];
    int tid = threadIdx.x, left = blockDim.x;
    if (blockIdx.x) {
        if (tid == 0)
            sums[blockIdx.x] = 0;
        return;
    }
    part[tid] = 0;
    for (int i = tid; i < n; i += blockDim.x)
        part[tid] += x[i];
    __syncthreads();
    while (left > 1) {
        int half = (left + 1) / 2;
        if (tid + half < left)
            part[tid] += part[tid + half];
        __syncthreads();
        left = half;
    }
    if (tid == 0)
        sums[0] = part[0];
}
