/* histogram-wide: sixteen bytes a load, so that four keys of a thread are on
 * their way at once. The number of keys is a multiple of 4.
 */
#define BINS 256

extern "C" __global__ void
histogram(const uint4 *__restrict__ key, int fours, unsigned *count)
{
    __shared__ unsigned part[BINS];
#pragma unroll 1
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        part[b] = 0;
    __syncthreads();

    int step = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < fours; i += step) {
        uint4 k = key[i];
        atomicAdd(&part[k.x], 1);
        atomicAdd(&part[k.y], 1);
        atomicAdd(&part[k.z], 1);
        atomicAdd(&part[k.w], 1);
    }
    __syncthreads();

#pragma unroll 1
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (part[b] > 0)
            atomicAdd(&count[b], part[b]);
}
