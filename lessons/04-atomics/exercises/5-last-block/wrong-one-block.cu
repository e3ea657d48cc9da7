extern "C" __global__ void
add_up(const int *data, int n, int *part, unsigned *tickets, int *total, int turn)
{
    extern __shared__ int share[];
    int tid = threadIdx.x, sum = 0;
    if (blockIdx.x)
        return;
    for (int i = tid; i < n; i += blockDim.x)
        sum += data[i];
    share[tid] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half)
            share[tid] += share[tid + half];
    }
    if (tid == 0)
        total[turn] = share[0];
}
