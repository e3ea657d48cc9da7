/* scan-waves: sums first, scans later, and nobody waits for a sum.
 *
 * ptx: compute_80
 *
 * As many blocks as multiprocessors take the tiles in waves: block b has the
 * b-th tile of each wave. A tile comes into shared memory long before its
 * turn. A block first adds it up and leaves the sum for all blocks. LAG waves
 * later it scans the tile. By then the sums of that wave have been there for
 * long: a block adds up those before its own, and all of them for the waves to
 * come. No tile passes on what it got from another, so there is no chain. One
 * warp does this reading and adding, so that the others need not wait for it.
 *
 * A thread copies to shared memory what it will use itself. So no barrier is
 * needed for the tiles; the one per wave is for the sums.
 */
#define THREADS 384 /* they scan; one warp more hands the sums around */
#define WARPS (THREADS / 32)
#define LOADS 4
#define TILE (4 * LOADS * THREADS)
#define AHEAD 2              /* waves from the copy of a tile to its sum */
#define LAG 4                /* and from there to its scan */
#define STAGES (AHEAD + LAG) /* tiles in shared memory */
#define PARTS (LAG + 2)      /* tiles of which the sums of warps are kept */
#define WORDS 8              /* sums for each lane of the last warp, so 256 blocks at most */
#define ALL 0xffffffff
#define KNOWN (1ull << 32)   /* the word has a sum below */

/* Four numbers from position `at` on; zeros past the end. */
static __device__ void
fetch(int4 *to, const int *x, int at, int n)
{
    int bytes = 4 * max(0, min(4, n - at));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(&x[bytes ? at : 0]), "r"(bytes)
                 : "memory");
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

/* A warp has 512 numbers in a row, in LOADS rows of 128. Each becomes the sum of those up to it and of `before`. */
static __device__ void
scan_warp(int4 v[LOADS], int before)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        v[k].y += v[k].x;
        v[k].z += v[k].y;
        v[k].w += v[k].z;
        int sum = v[k].w;
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            int below = __shfl_up_sync(ALL, sum, offset);
            sum += lane >= offset ? below : 0;
        }
        int start = before + sum - v[k].w;
        v[k].x += start;
        v[k].y += start;
        v[k].z += start;
        v[k].w += start;
        before += __shfl_sync(ALL, sum, 31);
    }
}

static __device__ int4
add(int4 v, int start)
{
    return make_int4(v.x + start, v.y + start, v.z + start, v.w + start);
}

/* The sums of a wave's tiles, from the words of its blocks: returned is that of all, *before that of the blocks before
 * this one. Called by one warp. */
static __device__ int
sum_wave(const volatile unsigned long long *words, int many, int *before)
{
    int lane = threadIdx.x % 32, all = 0, mine = 0;
    unsigned long long word[WORDS];
    bool known;
    do { /* as a rule once */
        known = true;
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            word[i] = lane + 32 * i < many ? words[lane + 32 * i] : KNOWN;
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            known &= word[i] >= KNOWN;
    } while (!__all_sync(ALL, known));
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        all += (int)word[i];
        mine += lane + 32 * i < blockIdx.x ? (int)word[i] : 0;
    }
    *before = __reduce_add_sync(ALL, mine);
    return __reduce_add_sync(ALL, all);
}

/* Copies the thread's part of a tile, whose first four are at `at`. */
static __device__ void
fetch_tile(int4 *to, const int *x, int at, int n)
{
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        fetch(&to[32 * k], x, at + 128 * k, n);
    asm volatile("cp.async.commit_group;");
}

/* The last warp. At the barrier of each wave start[wave % 2] is what stands before the tile that is scanned then. */
static __device__ void
hand_around(int tiles, int waves, volatile unsigned long long *state, const int (*part)[WARPS], int *start)
{
    int lane = threadIdx.x % 32, blocks = gridDim.x, past = 0; /* past: the sum of all waves before */
    for (int wave = 0; wave < waves + LAG; wave++) {
        int due = (wave - LAG) * blocks; /* the first tile of the wave that is scanned now */
        if (due >= 0) {
            int before, all = sum_wave(&state[due], min(blocks, tiles - due), &before);
            if (lane == 0)
                start[wave % 2] = past + before;
            past += all;
        }
        __syncthreads();
        int tile = wave * blocks + blockIdx.x;
        if (tile < tiles) {
            int sum = __reduce_add_sync(ALL, lane < WARPS ? part[wave % PARTS][lane] : 0);
            if (lane == 0)
                state[tile] = KNOWN | (unsigned)sum;
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS + 32)
scan(const int *x, int n, int *y, volatile unsigned long long *state)
{
    extern __shared__ __align__(128) int4 stages[]; /* STAGES tiles */
    __shared__ int part[PARTS][WARPS], start[2];    /* sums of warps; what stands before a tile */
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, blocks = gridDim.x;
    int tiles = (n + TILE - 1) / TILE, waves = (tiles + blocks - 1) / blocks;
    if (warp == WARPS) {
        hand_around(tiles, waves, state, part, start);
        return;
    }

    int own = 32 * LOADS * warp + lane; /* the first of the thread's fours in a tile */
    int at = blockIdx.x * TILE + 4 * own, step = blocks * TILE; /* it in this wave's tile, and how far the next is */
    for (int k = 0; k < AHEAD; k++)
        fetch_tile(&stages[k * (TILE / 4) + own], x, at + k * step, n);
    for (int wave = 0; wave < waves + LAG; wave++, at += step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD - 1) : "memory");
        const int4 *fresh = &stages[wave % STAGES * (TILE / 4) + own];
        int sum = 0;
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += fresh[32 * k].x + fresh[32 * k].y + fresh[32 * k].z + fresh[32 * k].w;
        sum = __reduce_add_sync(ALL, sum);
        if (lane == 0)
            part[wave % PARTS][warp] = sum;

        int4 *old = &stages[(wave + AHEAD) % STAGES * (TILE / 4) + own]; /* of LAG waves ago */
        int4 v[LOADS];
        if (wave >= LAG) {
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                v[k] = old[32 * k];
            scan_warp(v, __reduce_add_sync(ALL, lane < warp ? part[(wave - LAG) % PARTS][lane] : 0));
        }
        fetch_tile(old, x, at + AHEAD * step, n);
        __syncthreads();
        if (wave >= LAG) {
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                store(y, at - LAG * step + 128 * k, n, add(v[k], start[wave % 2]));
        }
    }
}
