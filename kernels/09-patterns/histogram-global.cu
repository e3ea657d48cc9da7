/* histogram-global: one atomic addition for each key, in the card's memory. */
extern "C" __global__ void
histogram(const unsigned *key, int n, unsigned *count)
{
    int step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&count[key[i]], 1);
}
