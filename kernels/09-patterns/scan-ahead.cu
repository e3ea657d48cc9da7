/* scan-ahead: a block copies tiles ahead, and tells the next one's sum before it looks back.
 *
 * ptx: compute_80
 *
 * In scan-lookback a block reads a tile, tells its sum and looks back. While
 * it looks back it reads nothing, and others wait for sums that come as late
 * as the numbers do. Here the copies of three tiles are on their way at once,
 * and the sum of the next tile is told before the look-back for this one. So
 * a sum is told one tile before anybody needs it, and memory never rests.
 *
 * Each tile is drawn, not only a block's first. A block tells its sums in the
 * order in which it drew the tiles, and waits only for tiles drawn before. So
 * whoever has the lowest tile that is not told yet waits for nobody, however
 * few of the blocks have started. To take every gridDim.x-th tile instead
 * would be right only if the card can hold all blocks at once.
 */
#define THREADS 512
#define WARPS (THREADS / 32)
#define LOADS 4
#define STAGES 3
#define FOURS (LOADS * THREADS) /* of a tile */
#define TILE (4 * FOURS)

/* Where in a tile a thread's k-th four lies. A warp has 512 numbers in a row, in LOADS rows of 128. */
static __device__ int
place(int k)
{
    return threadIdx.x / 32 * 32 * LOADS + 32 * k + threadIdx.x % 32;
}

/* Starts the copies of a tile; zeros past the end of the numbers. */
static __device__ void
copy(int4 *stage, const int *x, int tile, int n)
{
    if (tile < (n + TILE - 1) / TILE) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            int at = tile * TILE + 4 * place(k);
            if (at < n) {
                int bytes = n - at < 4 ? 4 * (n - at) : 16; /* the rest of 16 becomes 0 */
                unsigned to = (unsigned)__cvta_generic_to_shared(&stage[place(k)]);
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(x + at), "r"(bytes)
                             : "memory");
            } else {
                stage[place(k)] = make_int4(0, 0, 0, 0);
            }
        }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* The copies of this thread have arrived, but for the last `less` tiles. A thread reads what it has copied itself, so
 * no barrier is needed. */
template <int less>
static __device__ void
arrive(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(less) : "memory");
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

/* The sum of a warp's numbers in a tile. */
static __device__ int
add_up(const int4 *stage)
{
    int sum = 0;
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        int4 v = stage[place(k)];
        sum += v.x + v.y + v.z + v.w;
    }
    return __reduce_add_sync(0xffffffff, sum);
}

/* Each number becomes the sum of those of the warp up to it; returned is the sum of all. */
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
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = lane < WARPS ? part[lane] : 0;
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

/* Tells a tile's own sum, from those of its warps. Called by one warp. */
static __device__ void
tell(volatile unsigned long long *state, int tile, const int *part)
{
    int lane = threadIdx.x % 32;
    int sum = __reduce_add_sync(0xffffffff, lane < WARPS ? part[lane] : 0);
    if (lane == 0)
        state[tile] = (tile ? SUM : UP_TO) << 32 | (unsigned)sum;
}

/* What stands before the tile. Called by one warp: lane k looks at the k-th tile before. */
static __device__ int
look_back(const volatile unsigned long long *state, int tile)
{
    int lane = threadIdx.x % 32, before = 0;
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
        before += __reduce_add_sync(0xffffffff, wanted >> lane & 1 ? (int)word : 0);
        if (final)
            break;
    }
    return before;
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
scan(const int *x, int n, int *y, volatile unsigned long long *state, int *ticket)
{
    extern __shared__ int4 stages[]; /* STAGES tiles */
    __shared__ int part[WARPS], next_part[WARPS], drawn[STAGES], start;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, tiles = (n + TILE - 1) / TILE;
    int mine[STAGES + 1]; /* the tile to scan, the next, the one after that, and one to copy */
#pragma unroll
    for (int s = 0; s < STAGES; s++) { /* one after the other, so that others draw in between */
        if (threadIdx.x == 0)
            drawn[s] = atomicAdd(ticket, 1);
        __syncthreads();
        mine[s] = drawn[s];
        copy(stages + s * FOURS, x, mine[s], n);
    }
    arrive<STAGES - 1>();
    if (mine[0] < tiles) {
        int sum = add_up(stages);
        if (lane == 0)
            next_part[warp] = sum;
    }
    if (threadIdx.x == 0)
        drawn[0] = atomicAdd(ticket, 1);
    __syncthreads();
    mine[STAGES] = drawn[0];
    if (warp == WARPS - 1 && mine[0] < tiles)
        tell(state, mine[0], next_part);
    __syncthreads();
#pragma unroll 1
    for (int s = 0; mine[0] < tiles;) {
        int4 v[LOADS], *stage = stages + s * FOURS;
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = stage[place(k)];
        s = s + 1 == STAGES ? 0 : s + 1;
        arrive<STAGES - 2>();
        int next_sum = mine[1] < tiles ? add_up(stages + s * FOURS) : 0;
        copy(stage, x, mine[STAGES], n); /* the registers have what was there */
        int sum = scan_warp(v), all;
        if (lane == 0) {
            part[warp] = sum;
            next_part[warp] = next_sum;
        }
        __syncthreads();
        int before = sum_before(part, &all);
        if (warp == WARPS - 1) {
            if (mine[1] < tiles)
                tell(state, mine[1], next_part); /* before anybody of this block waits */
            if (lane == 0)
                drawn[0] = atomicAdd(ticket, 1);
        } else if (warp == 0) {
            int first = look_back(state, mine[0]);
            if (lane == 0) {
                if (mine[0])
                    state[mine[0]] = UP_TO << 32 | (unsigned)(first + all);
                start = first;
            }
        }
        __syncthreads();
        before += start;
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            store(y, mine[0] * TILE + 4 * place(k), n, add(v[k], before));
#pragma unroll
        for (int i = 0; i < STAGES; i++)
            mine[i] = mine[i + 1];
        mine[STAGES] = drawn[0];
    }
}
