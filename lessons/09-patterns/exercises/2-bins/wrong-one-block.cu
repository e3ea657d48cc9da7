extern "C" __global__ void histogram(const unsigned *key, int n, unsigned *bin)
{
    __shared__ unsigned part[256];
    int tid = threadIdx.x;
    part[tid] = 0;
    __syncthreads();
    if (blockIdx.x)
        return;
    for (int i = tid; i < n; i += 256)
        atomicAdd(&part[key[i]], 1);
    __syncthreads();
    atomicAdd(&bin[tid], part[tid]);
}
