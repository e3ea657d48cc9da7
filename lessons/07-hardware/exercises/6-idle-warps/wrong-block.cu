extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    __shared__ int part[256];
    int tid = threadIdx.x;
    if (blockIdx.x) {
        if (tid == 0)
            sums[blockIdx.x] = 0;
        return;
    }
    int sum = 0;
    for (int i = tid; i < n; i += 256)
        sum += x[i];
    part[tid] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (tid < half)
            part[tid] += part[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        sums[0] = part[0];
}
