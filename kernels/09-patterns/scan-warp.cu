/* scan-warp: a scan of 512 numbers by shuffles.
 *
 * Each warp scans its 32 numbers in registers. The 16 sums of the warps are
 * scanned by one warp in the same way, and each warp adds what stands
 * before it.
 */
#define TILE 512

/* Of this lane's v and those of the lanes below. */
static __device__ int
scan_warp(int v)
{
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        int below = __shfl_up_sync(0xffffffff, v, offset);
        v += threadIdx.x % 32 >= offset ? below : 0;
    }
    return v;
}

extern "C" __global__ void
scan(const int *x, int n, int *y)
{
    __shared__ int part[32];
    int tid = threadIdx.x, warp = tid / 32, i = blockIdx.x * TILE + tid;
    int sum = scan_warp(i < n ? x[i] : 0);
    if (tid % 32 == 31)
        part[warp] = sum;
    __syncthreads();
    if (tid < 32) {
        int all = scan_warp(tid < TILE / 32 ? part[tid] : 0);
        part[tid] = all;
    }
    __syncthreads();
    if (i < n)
        y[i] = sum + (warp > 0 ? part[warp - 1] : 0);
}
