/* scan-three: a scan of a whole array, in three launches.
 *
 * scan_tiles: each block scans its tile of 4096 numbers and leaves its sum.
 * scan_sums: one block turns the sums of the tiles into the sums before them.
 * add_before: each tile adds what stands before it.
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
        return *(const int4 *)&x[at];
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

/* Scans the tile that begins at `first`. Returns the sum of the tile. */
static __device__ int
scan_tile(const int *x, int first, int n, int4 v[LOADS], int *part)
{
    int warp = threadIdx.x / 32, at = first + 512 * warp + 4 * (threadIdx.x % 32), all;
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        v[k] = load(x, at + 128 * k, n);
    int sum = scan_warp(v);
    if (threadIdx.x % 32 == 0)
        part[warp] = sum;
    __syncthreads();
    int before = sum_before(part, warp, &all);
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        v[k] = add(v[k], before);
    return all;
}

extern "C" __global__ void
scan_tiles(const int *x, int n, int *y, int *sums)
{
    __shared__ int part[WARPS];
    int4 v[LOADS];
    int at = blockIdx.x * TILE + 512 * (threadIdx.x / 32) + 4 * (threadIdx.x % 32);
    int all = scan_tile(x, blockIdx.x * TILE, n, v, part);
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        store(y, at + 128 * k, n, v[k]);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = all;
}

extern "C" __global__ void
scan_sums(int *sums, int tiles)
{
    __shared__ int part[WARPS];
    int start = 0;
#pragma unroll 1
    for (int first = 0; first < tiles; first += THREADS) {
        int i = first + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, all;
        int own = i < tiles ? sums[i] : 0, sum = own;
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            int below = __shfl_up_sync(0xffffffff, sum, offset);
            sum += lane >= offset ? below : 0;
        }
        if (lane == 31)
            part[warp] = sum;
        __syncthreads();
        int before = sum_before(part, warp, &all);
        if (i < tiles)
            sums[i] = start + before + sum - own;
        start += all;
        __syncthreads(); /* part is free again */
    }
}

extern "C" __global__ void
add_before(int *y, int n, const int *sums)
{
    int at = blockIdx.x * TILE + 4 * threadIdx.x, start = sums[blockIdx.x];
    int4 v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        v[k] = load(y, at + 4 * k * THREADS, n);
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        store(y, at + 4 * k * THREADS, n, add(v[k], start));
}
