/* atomicInc wraps around by itself; the fences are those of all threads, and a warp adds at the end. */
__global__ void add_up(const int *__restrict__ data, int n, int *part, unsigned *tickets, int *total, int turn)
{
    extern __shared__ int share[];
    __shared__ unsigned ticket;
    const int tid = threadIdx.x, threads = blockDim.x;
    int sum = 0;
    for (int i = blockIdx.x * threads + tid; i < n; i += gridDim.x * threads)
        sum += data[i];
    share[tid] = sum;
    __syncthreads();
    for (int d = 1; d < threads; d *= 2) {
        if (tid % (2 * d) == 0)
            share[tid] += share[tid + d];
        __syncthreads();
    }
    if (tid == 0)
        part[blockIdx.x] = share[0];
    __threadfence();
    __syncthreads();
    if (tid == 0)
        ticket = atomicInc(tickets, gridDim.x - 1);
    __syncthreads();
    if (ticket != gridDim.x - 1 || tid)
        return;
    __threadfence();
    sum = 0;
    for (int i = 0; i < gridDim.x; i++)
        sum += part[i];
    total[turn] = sum;
}
