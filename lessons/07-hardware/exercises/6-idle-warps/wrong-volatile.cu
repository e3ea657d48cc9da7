extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    __shared__ int part[256];
    volatile int *mine = part;
    int tid = threadIdx.x, i = 256 * blockIdx.x + tid;
    part[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = 128; half > 16; half /= 2) {
        if (tid < half)
            part[tid] += part[tid + half];
        __syncthreads();
    }
    for (int half = 16; half > 0; half /= 2)
        if (tid < half)
            mine[tid] += mine[tid + half];
    if (tid == 0)
        sums[blockIdx.x] = mine[0];
}
