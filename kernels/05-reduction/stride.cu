/* stride: fewer blocks, and each thread adds many numbers before the tree.
 *
 * ptx: -DREAL=float as stride.ptx
 * ptx: -DREAL=double as stride-double.ptx
 *
 * Launched a second time, with one block, it adds the sums that the first
 * launch left. The block must have at least one warp.
 */
extern __shared__ REAL part[];

extern "C" __global__ void
reduce(const REAL *x, int n, REAL *sums)
{
    int tid = threadIdx.x;
    int step = gridDim.x * blockDim.x;
    REAL sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += step)
        sum += x[i];
    part[tid] = sum;
    __syncthreads();

#pragma unroll 1
    for (int offset = blockDim.x / 2; offset >= 32; offset /= 2) {
        if (tid < offset)
            part[tid] += part[tid + offset];
        __syncthreads();
    }
    if (tid < 32) {
        sum = part[tid];
#pragma unroll
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (tid == 0)
            sums[blockIdx.x] = sum;
    }
}
