/* shuffle: within a warp, lanes read each other's registers.
 *
 * ptx: -DREAL=float as shuffle.ptx
 * ptx: -DREAL=double as shuffle-double.ptx
 *
 * __shfl_down_sync(mask, v, offset) gives a lane the v of the lane `offset`
 * further up. Shared memory is needed only where warps meet.
 */
extern __shared__ REAL part[];

extern "C" __global__ void
reduce(const REAL *x, int n, REAL *sums)
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
        REAL sum = part[tid];
#pragma unroll
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (tid == 0)
            sums[blockIdx.x] = sum;
    }
}
