/* scan-chain: one launch; each tile waits for the sum of all tiles before it.
 *
 * A block takes the tile that its ticket says. It scans the tile, waits until
 * the tile before has left the sum of everything up to its end, adds its own
 * and leaves that for the next one. A flag says that a sum is there.
 */
#define THREADS 256
#define WARPS (THREADS / 32)
#define LOADS 4
#define TILE (4 * LOADS * THREADS)

/* Four numbers; zeros past the end. */
static __device__ int4
load(const int *x, int at, int n)
{
    if (at + 3 < n)
        return __ldg((const int4 *)&x[at]);
    return make_int4(at < n ? x[at] : 0, at + 1 < n ? x[at + 1] : 0, at + 2 < n ? x[at + 2] : 0, 0);
}

static __device__ void
store(int *y, int at, int n, int4 v)
{
    if (at + 3 < n) {
        *(int4 *)&y[at] = v;
        return;
    }
    if (at < n)
        y[at] = v.x;
    if (at + 1 < n)
        y[at + 1] = v.y;
    if (at + 2 < n)
        y[at + 2] = v.z;
}

/* A warp has 512 numbers in a row, in LOADS rows of 128. Each becomes the sum of those up to it; returned is the sum
 * of all. */
static __device__ int
scan_warp(int4 v[LOADS])
{
    int lane = threadIdx.x % 32, before = 0;
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        v[k].y += v[k].x;
        v[k].z += v[k].y;
        v[k].w += v[k].z;
        int sum = v[k].w;
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            int below = __shfl_up_sync(0xffffffff, sum, offset);
            sum += lane >= offset ? below : 0;
        }
        int start = before + sum - v[k].w;
        v[k].x += start;
        v[k].y += start;
        v[k].z += start;
        v[k].w += start;
        before += __shfl_sync(0xffffffff, sum, 31);
    }
    return before;
}

/* What stands before this warp's numbers in the tile, from the sums of its warps; *all: the whole tile. */
static __device__ int
sum_before(const int *part, int warp, int *all)
{
    int before = 0;
    *all = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        before += w < warp ? part[w] : 0;
        *all += part[w];
    }
    return before;
}

static __device__ int4
add(int4 v, int start)
{
    return make_int4(v.x + start, v.y + start, v.z + start, v.w + start);
}

extern "C" __global__ void
scan(const int *x, int n, int *y, volatile int *sums, volatile int *flags, int *ticket)
{
    __shared__ int part[WARPS], drawn, start;
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, all;
    if (tid == 0)
        drawn = atomicAdd(ticket, 1);
    __syncthreads();
    int tile = drawn, at = tile * TILE + 512 * warp + 4 * lane;
    int4 v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        v[k] = load(x, at + 128 * k, n);
    int sum = scan_warp(v);
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    int before = sum_before(part, warp, &all);
    if (tid == 0) {
        start = 0;
        if (tile > 0) {
            while (flags[tile - 1] == 0)
                ;
            __threadfence(); /* the flag first, then the sum */
            start = sums[tile - 1];
        }
        sums[tile] = start + all;
        __threadfence(); /* the sum first, then the flag */
        flags[tile] = 1;
    }
    __syncthreads();
    before += start;
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        store(y, at + 128 * k, n, add(v[k], before));
}
