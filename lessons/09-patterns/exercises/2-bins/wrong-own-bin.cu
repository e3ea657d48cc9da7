extern "C" __global__ void histogram(const unsigned *key, int n, unsigned *bin)
{
    __shared__ unsigned part[256];
    int tid = threadIdx.x;
    unsigned sum = 0;
    for (int first = blockIdx.x * 256; first < n; first += gridDim.x * 256) {
        part[tid] = first + tid < n ? key[first + tid] : 256;
        __syncthreads();
        for (int i = 0; i < 256; i++)
            sum += part[i] == tid;
        __syncthreads();
    }
    atomicAdd(&bin[tid], sum);
}
