extern "C" __global__ void histogram(const unsigned *key, int n, unsigned *bin)
{
    __shared__ unsigned part[256];
    int tid = threadIdx.x;
    part[tid] = 0;
    __syncthreads();
    int rounds = n / (gridDim.x * 256);
    for (int k = 0; k < rounds; k++)
        atomicAdd(&part[key[(k * gridDim.x + blockIdx.x) * 256 + tid]], 1);
    __syncthreads();
    atomicAdd(&bin[tid], part[tid]);
}
