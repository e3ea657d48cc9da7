/* ticket: 16 bytes per load, four loads in flight, and one launch.
 *
 * Each block leaves its sum in memory and draws a ticket. Whoever draws
 * the last one knows that all the others have left theirs, and adds them
 * up. __threadfence() stands between leaving the sum and drawing: without
 * it the last block could see the tickets before the sums. atomicInc
 * starts again at 0 after the last ticket, ready for the next launch.
 *
 * Which block is last differs from run to run; what it adds, and in which
 * order, does not. So the result is always the same.
 */
#define LOADS 4

/* The block's sum, in thread 0. */
static __device__ float
block_sum(float v)
{
    __shared__ float part[32];
    int tid = threadIdx.x, warps = blockDim.x / 32;
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    __syncthreads(); /* the call before may still read part */
    if (tid % 32 == 0)
        part[tid / 32] = v;
    __syncthreads();
    if (tid < 32) {
        v = tid < warps ? part[tid] : 0;
#pragma unroll
        for (int offset = 16; offset > 0; offset /= 2)
            v += __shfl_down_sync(0xffffffff, v, offset);
    }
    return v;
}

extern "C" __global__ void
reduce(const float *x, int n, float *sums, unsigned *tickets, float *answer)
{
    __shared__ bool last;
    int tid = threadIdx.x, fours = n / 4;
    int step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + tid;
    const float4 *four = (const float4 *)x;
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 1
    for (; i < fours - (LOADS - 1) * step; i += LOADS * step) {
        float4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = __ldg(&four[i + k * step]);
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            sum.x += v[k].x;
            sum.y += v[k].y;
            sum.z += v[k].z;
            sum.w += v[k].w;
        }
    }
#pragma unroll 1
    for (; i < fours; i += step) { /* fewer than four loads are left */
        float4 v = __ldg(&four[i]);
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    int rest = 4 * fours + blockIdx.x * blockDim.x + tid; /* and fewer than four numbers */
    if (rest < n)
        sum.x += x[rest];

    float total = block_sum((sum.x + sum.y) + (sum.z + sum.w));
    if (tid == 0) {
        sums[blockIdx.x] = total;
        __threadfence();
        last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    total = 0;
#pragma unroll 1
    for (int k = tid; k < gridDim.x; k += blockDim.x)
        total += sums[k];
    total = block_sum(total);
    if (tid == 0)
        *answer = total;
}
