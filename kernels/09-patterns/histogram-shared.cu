/* histogram-shared: a block counts in shared memory, and adds its counts to
 * the others' at the end. 256 bins.
 */
#define BINS 256

extern "C" __global__ void
histogram(const unsigned *key, int n, unsigned *count)
{
    __shared__ unsigned part[BINS];
#pragma unroll 1
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        part[b] = 0;
    __syncthreads();

    int step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&part[key[i]], 1);
    __syncthreads();

#pragma unroll 1
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (part[b] > 0)
            atomicAdd(&count[b], part[b]);
}
