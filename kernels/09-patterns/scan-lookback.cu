/* scan-lookback: one launch, and nobody waits for a chain.
 *
 * A tile leaves its own sum as soon as it has it, and the sum of everything
 * up to its end when it knows that. A warp looks at the 32 tiles before:
 * it adds their own sums back to the nearest one whose final sum is there.
 * A state is one word of 64 bits, the kind above, the sum below, so that
 * nobody can see the one without the other. A tile is as large as registers
 * allow, 32 numbers for each thread: each step back takes as long as a read
 * of memory, however many numbers it stands for. With many numbers blocks of
 * 1024 threads are best, with few there would be too few of them.
 */
#define LOADS 8

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

/* A warp has 1024 numbers in a row, in LOADS rows of 128. Each becomes the sum of those up to it; returned is the sum
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

/* What stands before this warp's numbers in the tile, from the sums of its warps; *all: the whole tile. Lane w has the
 * sum of warp w. */
static __device__ int
sum_before(const int *part, int *all)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    int sum = lane < warps ? part[lane] : 0;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        int below = __shfl_up_sync(0xffffffff, sum, offset);
        sum += lane >= offset ? below : 0;
    }
    *all = __shfl_sync(0xffffffff, sum, 31);
    return warp > 0 ? __shfl_sync(0xffffffff, sum, warp - 1) : 0;
}

static __device__ int4
add(int4 v, int start)
{
    return make_int4(v.x + start, v.y + start, v.z + start, v.w + start);
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

extern "C" __global__ void __launch_bounds__(1024)
scan(const int *x, int n, int *y, volatile unsigned long long *state, int *ticket)
{
    __shared__ int part[32], drawn, start;
    int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, all;
    if (tid == 0)
        drawn = atomicAdd(ticket, 1);
    __syncthreads();
    int tile = drawn, at = 4 * LOADS * (tile * blockDim.x + 32 * warp) + 4 * lane;
    int4 v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        v[k] = load(x, at + 128 * k, n);
    int sum = scan_warp(v);
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    int before = sum_before(part, &all);
    if (warp == 0) {
        int first = look_back(state, tile, all);
        if (lane == 0)
            start = first;
    }
    __syncthreads();
    before += start;
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        store(y, at + 128 * k, n, add(v[k], before));
}
