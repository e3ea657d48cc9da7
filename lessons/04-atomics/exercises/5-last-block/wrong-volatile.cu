extern "C" __global__ void
add_up(const int *data, int n, int *part, unsigned *tickets, int *total, int turn)
{
    extern __shared__ int share[];
    __shared__ bool last;
    int tid = threadIdx.x, sum = 0;

    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        sum += data[i];
    share[tid] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half)
            share[tid] += share[tid + half];
    }
    if (tid == 0) {
        ((volatile int *)part)[blockIdx.x] = share[0];
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    sum = 0;
    for (int i = tid; i < gridDim.x; i += blockDim.x)
        sum += ((volatile int *)part)[i];
    share[tid] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half)
            share[tid] += share[tid + half];
    }
    if (tid == 0) {
        total[turn] = share[0];
        *tickets = 0;
    }
}
