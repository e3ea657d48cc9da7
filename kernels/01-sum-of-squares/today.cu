/* today: for a card with thousands of threads per multiprocessor.
 *
 * A load brings 16 bytes, four numbers, and a thread has four loads in
 * flight before it uses the first: 64 bytes in flight per thread. The
 * lanes of a warp add their sums by shuffles, without memory and without
 * a barrier; the warps of a block use shared memory; and one thread per
 * block adds the result to the total. One launch, one number for the host.
 *
 * Sums of integers are the same in any order, so an atomic is no risk.
 */
#define LOADS 4

static __device__ long long
warp_sum(long long v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

extern "C" __global__ void
sum_squares(const int *data, int n, unsigned long long *total)
{
    __shared__ long long part[32];
    int tid = threadIdx.x, fours = n / 4;
    int step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + tid;
    const int4 *four = (const int4 *)data;
    int sum = 0;
#pragma unroll 1
    for (; i < fours - (LOADS - 1) * step; i += LOADS * step) {
        int4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = __ldg(&four[i + k * step]);
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
    }
#pragma unroll 1
    for (; i < fours; i += step) { /* fewer than four loads are left */
        int4 v = four[i];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    int last = 4 * fours + blockIdx.x * blockDim.x + tid; /* and fewer than four numbers */
    if (last < n)
        sum += data[last] * data[last];

    long long all = warp_sum(sum);
    if (tid % 32 == 0)
        part[tid / 32] = all;
    __syncthreads();
    if (tid < 32) {
        all = warp_sum(tid < blockDim.x / 32 ? part[tid] : 0);
        if (tid == 0)
            atomicAdd(total, (unsigned long long)all);
    }
}
