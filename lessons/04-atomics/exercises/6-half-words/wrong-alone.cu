extern "C" __global__ void count(const int *data, int n, unsigned short *counters)
{
    if (threadIdx.x)
        return;
    for (int i = blockIdx.x * blockDim.x; i < (blockIdx.x + 1) * blockDim.x && i < n; i++)
        atomicAdd((unsigned *)counters + data[i] / 2, 1u << data[i] % 2 * 16);
}
