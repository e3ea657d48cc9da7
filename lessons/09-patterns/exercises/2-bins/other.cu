/* A histogram for each warp, as bytes would overflow; put together at the end. */
__global__ void histogram(const unsigned *key, int n, unsigned *bin)
{
    __shared__ unsigned part[8][256];
    for (int b = threadIdx.x; b < 8 * 256; b += blockDim.x)
        part[b / 256][b % 256] = 0;
    __syncthreads();
    unsigned *mine = part[threadIdx.x / 32];
    unsigned step = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < (unsigned)n; i += step)
        atomicInc(&mine[key[i]], 0xffffffffu);
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int w = 0; w < 8; w++)
        sum += part[w][threadIdx.x];
    if (sum)
        atomicAdd(bin + threadIdx.x, sum);
}
