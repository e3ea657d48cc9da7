/* warp: the last five rounds concern one warp, so only that warp need wait.
 *
 * __syncthreads() stops the block; __syncwarp() only keeps the lanes of one
 * warp together. The block must have at least one warp.
 */
extern __shared__ float part[];

extern "C" __global__ void
reduce(const float *x, int n, float *sums)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    part[tid] = i < n ? x[i] : 0;
    __syncthreads();

#pragma unroll 1
    for (int offset = blockDim.x / 2; offset >= 32; offset /= 2) {
        if (tid < offset)
            part[tid] += part[tid + offset];
        __syncthreads();
    }
    if (tid < 32) {
#pragma unroll 1
        for (int offset = 16; offset > 0; offset /= 2) {
            if (tid < offset)
                part[tid] += part[tid + offset];
            __syncwarp();
        }
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}
