extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    extern __shared__ int part[];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid, left = blockDim.x;
    part[tid] = i < n ? x[i] : 0;
    __syncthreads();
    while (left > 1) {
        int half = (left + 1) / 2;
        if (tid + half < left)
            part[tid] += part[tid + half];
        left = half;
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}
