/* sparse-even: the values are dealt out evenly, whatever the rows are.
 *
 * A row's element of the result is the sum of a segment: of the products of its
 * values. So this is segment-scan, with a product where that has a number.
 */
#define THREADS 256
#define WARPS (THREADS / 32)
#define EACH 7
#define TILE (EACH * THREADS)

struct part {
    int heads;
    float sum;
};

/* a, then b: a head in b cuts off what stands before it. */
static __device__ part
join(part a, part b)
{
    part c = {a.heads + b.heads, b.heads ? b.sum : a.sum + b.sum};
    return c;
}

/* Of this lane's part and those of the lanes below. */
static __device__ part
scan_warp(part v)
{
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        part below = {__shfl_up_sync(0xffffffff, v.heads, offset), __shfl_up_sync(0xffffffff, v.sum, offset)};
        if (threadIdx.x % 32 >= offset)
            v = join(below, v);
    }
    return v;
}

/* The last segment that begins at or before element i. A warp tries 32 places at once. */
static __device__ int
segment_of(const int *offsets, int segments, int i)
{
    int low = 0, many = segments; /* it is one of so many */
#pragma unroll 1
    while (many > 1) {
        int step = (many + 31) / 32, tried = threadIdx.x % 32 * step;
        bool before = tried < many && offsets[low + tried] <= i;
        int last = 31 - __clz(__ballot_sync(0xffffffff, before));
        low += last * step;
        many = min(step, many - last * step);
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(THREADS)
multiply(const int *columns, const float *values, const float *x, int n, const int *offsets, int segments, float *y)
{
    __shared__ float number[TILE];
    __shared__ int head[TILE], base;
    __shared__ part warps[WARPS];
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, first = blockIdx.x * TILE;
    float v[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = first + k * THREADS + tid;
        v[k] = i < n ? values[i] * __ldg(&x[columns[i]]) : 0;
    }
    if (warp == 0) {
        int found = segment_of(offsets, segments, first);
        if (lane == 0)
            base = found;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        number[k * THREADS + tid] = v[k];
        head[k * THREADS + tid] = 0;
    }
    __syncthreads();
#pragma unroll 1
    for (int s = base + 1 + tid; s < segments; s += THREADS) {
        int at = offsets[s] - first;
        if (at >= TILE)
            break;
        atomicAdd(&head[at], 1); /* an empty segment begins where the next one does */
    }
    __syncthreads();

    part own = {0, 0};
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        part next = {head[tid * EACH + k], number[tid * EACH + k]};
        own = join(own, next);
    }
    part upto = scan_warp(own);
    if (lane == 31)
        warps[warp] = upto;
    part before = {__shfl_up_sync(0xffffffff, upto.heads, 1), __shfl_up_sync(0xffffffff, upto.sum, 1)};
    if (lane == 0)
        before.heads = 0, before.sum = 0;
    __syncthreads();
    part start = {0, 0};
#pragma unroll 1
    for (int w = 0; w < warp; w++)
        start = join(start, warps[w]);
    before = join(start, before);

    /* Where a head comes, the sum before it is that of a segment which ends there. */
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        part next = {head[tid * EACH + k], number[tid * EACH + k]};
        if (next.heads && before.heads)
            y[base + before.heads] = before.sum;
        else if (next.heads) /* it began in an earlier tile */
            atomicAdd(&y[base], before.sum);
        before = join(before, next);
    }
    if (tid == THREADS - 1) /* it may go on in the next tile */
        atomicAdd(&y[base + before.heads], before.sum);
}
