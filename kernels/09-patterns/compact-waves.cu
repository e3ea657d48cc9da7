/* compact-waves: count first, write later, and nobody waits for a count.
 *
 * ptx: compute_80
 *
 * The waves of scan-waves, with the number of elements that a tile keeps as
 * its sum. When its turn comes, a warp moves what it keeps of its part of the
 * tile together, in shared memory, and writes that in one run. The place of
 * the tile is free for the next one then.
 */
#define THREADS 384 /* they write; one warp more hands the counts around */
#define WARPS (THREADS / 32)
#define LOADS 4
#define TILE (4 * LOADS * THREADS)
#define AHEAD 3              /* waves from the copy of a tile to its count */
#define LAG 3                /* and from there to its writing */
#define STAGES (AHEAD + LAG) /* tiles in shared memory */
#define PARTS (LAG + 2)      /* tiles of which the counts of warps are kept */
#define WORDS 8              /* counts for each lane of the last warp, so 256 blocks at most */
#define ALL 0xffffffff
#define KNOWN (1ull << 32)   /* the word has a count below */
#define LEAST 2

/* Four numbers from position `at` on; zeros past the end. */
static __device__ void
fetch(int4 *to, const int *x, int at, int n)
{
    int bytes = 4 * max(0, min(4, n - at));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(&x[bytes ? at : 0]), "r"(bytes)
                 : "memory");
}

static __device__ int
kept(int4 v)
{
    return (v.x >= LEAST) + (v.y >= LEAST) + (v.z >= LEAST) + (v.w >= LEAST);
}

/* Moves what a warp keeps of its 512 numbers together at their front, in their order. */
static __device__ void
line_up(int4 *part)
{
    int lane = threadIdx.x % 32, place = 0, *line = (int *)part;
    int4 v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        v[k] = part[32 * k + lane];
    __syncwarp(); /* all have read theirs */
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        int own = kept(v[k]), sum = own;
#pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            int below = __shfl_up_sync(ALL, sum, offset);
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
        place += __shfl_sync(ALL, sum, 31);
    }
}

/* The counts of a wave's tiles, from the words of its blocks: returned is that of all, *before that of the blocks
 * before this one. Called by one warp. */
static __device__ int
count_wave(const volatile unsigned long long *words, int many, int *before)
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

/* The last warp. At the barrier of each wave start[wave % 2] is how many are kept before the tile that is written then.
 * Returned is how many are kept of all. */
static __device__ int
hand_around(int tiles, int waves, volatile unsigned long long *state, const int (*part)[WARPS], int *start)
{
    int lane = threadIdx.x % 32, blocks = gridDim.x, past = 0; /* past: of all waves before */
    for (int wave = 0; wave < waves + LAG; wave++) {
        int due = (wave - LAG) * blocks; /* the first tile of the wave that is written now */
        if (due >= 0) {
            int before, all = count_wave(&state[due], min(blocks, tiles - due), &before);
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
    return past;
}

extern "C" __global__ void __launch_bounds__(THREADS + 32)
compact(const int *x, int n, int *out, int *count, volatile unsigned long long *state)
{
    extern __shared__ __align__(128) int4 stages[]; /* STAGES tiles */
    __shared__ int part[PARTS][WARPS], start[2];    /* counts of warps; how many are kept before a tile */
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, blocks = gridDim.x;
    int tiles = (n + TILE - 1) / TILE, waves = (tiles + blocks - 1) / blocks;
    if (warp == WARPS) {
        int many = hand_around(tiles, waves, state, part, start);
        if (blockIdx.x == 0 && lane == 0)
            *count = many;
        return;
    }

    int first = 32 * LOADS * warp; /* the first of the warp's fours in a tile */
    int at = blockIdx.x * TILE + 4 * (first + lane), step = blocks * TILE;
    for (int k = 0; k < AHEAD; k++)
        fetch_tile(&stages[k * (TILE / 4) + first + lane], x, at + k * step, n);
    for (int wave = 0; wave < waves + LAG; wave++, at += step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD - 1) : "memory");
        const int4 *fresh = &stages[wave % STAGES * (TILE / 4) + first + lane];
        int sum = 0;
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += kept(fresh[32 * k]);
        sum = __reduce_add_sync(ALL, sum);
        if (lane == 0)
            part[wave % PARTS][warp] = sum;

        int4 *old = &stages[(wave + AHEAD) % STAGES * (TILE / 4) + first]; /* of LAG waves ago */
        if (wave >= LAG)
            line_up(old);
        __syncthreads();
        if (wave >= LAG) {
            const int *counts = part[(wave - LAG) % PARTS];
            int place = start[wave % 2] + __reduce_add_sync(ALL, lane < warp ? counts[lane] : 0);
#pragma unroll 4
            for (int i = lane; i < counts[warp]; i += 32)
                out[place + i] = ((const int *)old)[i];
            __syncwarp(); /* all have written; the next tile may come */
        }
        fetch_tile(&old[lane], x, at + AHEAD * step, n);
    }
}
