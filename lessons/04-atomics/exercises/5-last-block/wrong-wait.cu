extern "C" __global__ void
add_up(const int *data, int n, int *part, unsigned *tickets, int *total, int turn)
{
    extern __shared__ int share[];
    int tid = threadIdx.x, sum = 0;

    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        sum += data[i];
    share[tid] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half)
            share[tid] += share[tid + half];
    }
    if (tid)
        return;
    part[blockIdx.x] = share[0];
    __threadfence();
    atomicAdd(tickets, 1);
    if (blockIdx.x)
        return;
    while (atomicAdd(tickets, 0) < gridDim.x * (turn + 1))
        ;
    __threadfence();
    sum = 0;
    for (int i = 0; i < gridDim.x; i++)
        sum += part[i];
    total[turn] = sum;
}
