extern "C" __global__ void histogram(const unsigned *key, int n, unsigned *bin)
{
    __shared__ unsigned part[256];
    int tid = threadIdx.x;
    part[tid] = 0;
    __syncthreads();
    if (tid == 0)
        for (int first = blockIdx.x * 256; first < n; first += gridDim.x * 256)
            for (int i = first; i < first + 256 && i < n; i++)
                part[key[i]]++;
    __syncthreads();
    atomicAdd(&bin[tid], part[tid]);
}
