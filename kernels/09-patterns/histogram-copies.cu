/* histogram-copies: a histogram of its own for each warp of the block. 256
 * bins, at most 8 warps.
 */
#define BINS 256
#define WARPS 8

extern "C" __global__ void
histogram(const unsigned *key, int n, unsigned *count)
{
    __shared__ unsigned part[WARPS][BINS];
    unsigned *mine = part[threadIdx.x / 32];
#pragma unroll 1
    for (int b = threadIdx.x; b < WARPS * BINS; b += blockDim.x)
        (&part[0][0])[b] = 0;
    __syncthreads();

    int step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&mine[key[i]], 1);
    __syncthreads();

#pragma unroll 1
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned sum = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++)
            sum += part[w][b];
        if (sum > 0)
            atomicAdd(&count[b], sum);
    }
}
