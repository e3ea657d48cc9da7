/* compact-lookback: count, look back, place, in one launch. The order is kept.
 *
 * The look-back of scan-lookback, with the number of elements that a tile
 * keeps as its sum.
 */
#define THREADS 256
#define WARPS (THREADS / 32)
#define LOADS 10
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

/* How many numbers a warp keeps of its 1280. */
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

#define SUM 1ull   /* the word has the sum of its tile */
#define UP_TO 2ull /* the sum of everything up to the tile's end */

/* What stands before the tile, whose own sum is `all`. Called by one warp: lane k looks at the k-th tile before. */
static __device__ int
look_back(volatile unsigned long long *state, int tile, int all)
{
    int lane = threadIdx.x % 32, before = 0;
    if (lane == 0)
        state[tile] = (tile ? SUM : UP_TO) << 32 | (unsigned)all;
#pragma unroll 1
    for (int last = tile - 1; last >= 0; last -= 32) {
        unsigned long long word;
        unsigned known, final, wanted;
        do { /* all that are nearer than the nearest final sum must be known */
            word = last >= lane ? state[last - lane] : UP_TO << 32;
            known = __ballot_sync(0xffffffff, word >> 32 != 0);
            final = __ballot_sync(0xffffffff, word >> 32 == UP_TO);
            wanted = final ? final ^ (final - 1) : 0xffffffff;
        } while ((known & wanted) != wanted);
        int sum = wanted >> lane & 1 ? (int)word : 0;
#pragma unroll
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, offset);
        before += sum;
        if (final)
            break;
    }
    if (lane == 0 && tile)
        state[tile] = UP_TO << 32 | (unsigned)(before + all);
    return before;
}

extern "C" __global__ void __launch_bounds__(THREADS)
compact(const int *x, int n, int *out, int *count, volatile unsigned long long *state, int *ticket)
{
    __shared__ int line[TILE], part[WARPS], drawn, start;
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, all;
    if (tid == 0)
        drawn = atomicAdd(ticket, 1);
    __syncthreads();
    int tile = drawn, at = tile * TILE + 128 * LOADS * warp + 4 * lane;
    int4 v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        v[k] = load(x, at + 128 * k, n);
    int sum = count_warp(v);
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    int before = sum_before(part, warp, &all);
    if (warp == 0) {
        int first = look_back(state, tile, all);
        if (lane == 0) {
            start = first;
            if (tile == gridDim.x - 1)
                *count = first + all;
        }
    }
    line_up(line, v, before);
    __syncthreads();
#pragma unroll 1
    for (int i = tid; i < all; i += THREADS)
        out[start + i] = line[i];
}
