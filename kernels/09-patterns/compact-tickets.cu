/* compact-tickets: one ticket for a tile, as in lesson 4.
 *
 * A tile's numbers keep their order; the tiles stand in the order in which
 * their blocks came to the counter.
 */
#define THREADS 256
#define WARPS (THREADS / 32)
#define LOADS 3
#define TILE (4 * LOADS * THREADS)
#define LEAST 2

static __device__ int
kept(int4 v)
{
    return (v.x >= LEAST) + (v.y >= LEAST) + (v.z >= LEAST) + (v.w >= LEAST);
}

/* Four numbers; zeros past the end. */
static __device__ int4
load(const int *x, int at, int n)
{
    if (at + 3 < n)
        return __ldg((const int4 *)&x[at]);
    return make_int4(at < n ? x[at] : 0, at + 1 < n ? x[at + 1] : 0, at + 2 < n ? x[at + 2] : 0, 0);
}

/* How many numbers a warp keeps of its 384. */
static __device__ int
count_warp(const int4 v[LOADS])
{
    int sum = 0;
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        sum += kept(v[k]);
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    return sum;
}

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

/* Puts the numbers of a warp that are kept in a line, in their order, from `place` on. */
static __device__ void
line_up(int *line, const int4 v[LOADS], int place)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        int own = kept(v[k]), sum = own;
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            int below = __shfl_up_sync(0xffffffff, sum, offset);
            sum += lane >= offset ? below : 0;
        }
        int at = place + sum - own;
        if (v[k].x >= LEAST)
            line[at++] = v[k].x;
        if (v[k].y >= LEAST)
            line[at++] = v[k].y;
        if (v[k].z >= LEAST)
            line[at++] = v[k].z;
        if (v[k].w >= LEAST)
            line[at] = v[k].w;
        place += __shfl_sync(0xffffffff, sum, 31);
    }
}

extern "C" __global__ void
compact(const int *x, int n, int *out, int *count)
{
    __shared__ int line[TILE], part[WARPS], start;
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, all;
    int at = blockIdx.x * TILE + 128 * LOADS * warp + 4 * lane;
    int4 v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        v[k] = load(x, at + 128 * k, n);
    int sum = count_warp(v);
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    int before = sum_before(part, warp, &all);
    if (tid == 0)
        start = atomicAdd(count, all);
    line_up(line, v, before);
    __syncthreads();
#pragma unroll 1
    for (int i = tid; i < all; i += THREADS)
        out[start + i] = line[i];
}
