/* stream: as many blocks as multiprocessors; what does not fill them all is shared out.
 *
 * ptx: compute_80
 *
 * 512 tiles on 132 multiprocessors are three rounds, and a fourth for 116
 * tiles, in which 16 multiprocessors have nothing to do. Here there is one
 * block for each multiprocessor. The tiles that would be left for the last
 * round come first, and are cut: each takes a number of steps (16 rows of B),
 * all of them together are one line of steps, and each block gets an equal
 * part of the line. Then every block computes whole tiles, equally many.
 *
 * A part may begin or end within a tile. Who has a tile's first steps stores
 * the result. The others leave their sums in memory and set a flag; it adds
 * them in the order of their numbers, so the result does not depend on who
 * is first. It waits for blocks with higher numbers, so these must have
 * begun: numbers are drawn, the highest first.
 */
#define HIGH 128
#define WIDE 256
#define DEEP 16
#define STAGES 4
#define THREADS 256
#define STRIP 8
#define OF_B (DEEP * WIDE / 4 / THREADS)      /* copies of a thread: four of four numbers */
#define COPIES (OF_B + HIGH * DEEP / THREADS) /* and eight of one */

typedef struct stage {
    float a[DEEP][HIGH + 4], b[DEEP][WIDE];
} stage;

/* Where the next copies of a thread come from, and where those of the first stage go to. */
typedef struct copies {
    const float *a, *b;
    unsigned to_a, to_b; /* addresses in shared memory */
    int pitch;
} copies;

/* The i-th of a thread's copies for a stage: 4 rows of B, then 16 rows of A, further on than the one before. */
static __device__ void
copy(copies *my, unsigned stage_at, int i)
{
    if (i < OF_B) {
        unsigned to = my->to_b + stage_at + i * (unsigned)sizeof(float[THREADS * 4]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(my->b));
        my->b += THREADS / (WIDE / 4) * my->pitch;
    } else {
        unsigned to = my->to_a + stage_at + (i - OF_B) * (unsigned)sizeof(float[THREADS / DEEP]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(my->a));
        my->a += THREADS / DEEP * my->pitch;
    }
}

/* All 12 are made: B's next rows follow, A's next columns begin at its first row again. */
static __device__ void
end_of_copies(copies *my)
{
    asm volatile("cp.async.commit_group;");
    my->a += DEEP - HIGH * my->pitch;
}

/* The factors of a thread: row i of the tiles. */
static __device__ void
load(float p[8], float q[16], const stage *from, int i, int row, int column)
{
#pragma unroll
    for (int r = 0; r < 8; r += 4)
        *(float4 *)&p[r] = *(const float4 *)&from->a[i][row + 4 * r];
#pragma unroll
    for (int s = 0; s < 16; s += 4)
        *(float4 *)&q[s] = *(const float4 *)&from->b[i][column + 8 * s];
}

static __device__ void
next_tile(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads(); /* it has arrived, and nobody loads from the one before it any more */
}

/* Where a tile begins in C. */
typedef struct place {
    int y, x;
} place;

/* Tiles are numbered down strips, as in wide. */
static __device__ place
tile_at(int tile, int pitch)
{
    int rows = pitch / HIGH, columns = pitch / WIDE, strip = tile / (STRIP * columns);
    int in_strip = tile % (STRIP * columns), high = min(STRIP, rows - strip * STRIP);
    place at = {(strip * STRIP + in_strip % high) * HIGH, in_strip / high * WIDE};
    return at;
}

/* A thread's sums of a tile over the steps from `first` to before `last`. */
static __device__ void
add_products(float sum[8][16], stage *stages, const float *a, const float *b, int pitch, place at, int first, int last,
             int row, int column)
{
    int t = threadIdx.x, steps = last - first;
    copies my = {a + (at.y + t / DEEP) * pitch + first * DEEP + t % DEEP,
                 b + (first * DEEP + t / 64) * pitch + at.x + t % 64 * 4,
                 (unsigned)__cvta_generic_to_shared(&stages[0].a[t % DEEP][t / DEEP]),
                 (unsigned)__cvta_generic_to_shared(&stages[0].b[t / 64][t % 64 * 4]), pitch};
    float p[2][8], q[2][16];
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int s = 0; s < 16; s++)
            sum[r][s] = 0;
    __syncthreads(); /* nobody loads from the stages of the tile before any more */
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps)
#pragma unroll
            for (int i = 0; i < COPIES; i++)
                copy(&my, s * (unsigned)sizeof(stage), i);
        end_of_copies(&my);
    }
    next_tile();
    load(p[0], q[0], &stages[0], 0, row, column);
    unsigned into = (STAGES - 1) * sizeof(stage); /* the stage that is filled, in bytes from the first */
#pragma unroll 1
    for (int step = 0, now = 0; step < steps; step++) {
        bool more = step + STAGES - 1 < steps;
#pragma unroll
        for (int i = 0; i < DEEP; i++) {
            if (i == DEEP - 1) {
                next_tile();
                now = (now + 1) % STAGES;
            }
            load(p[(i + 1) % 2], q[(i + 1) % 2], &stages[now], (i + 1) % DEEP, row, column); /* unused at the end */
            if (i < COPIES && more) /* a copy behind the reads for each row */
                copy(&my, into, i);
            if (i == COPIES) {
                end_of_copies(&my);
                into = into < (STAGES - 1) * sizeof(stage) ? into + sizeof(stage) : 0;
            }
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int j = 0; j < 16; j++) {
                    int s = r % 2 ? 15 - j : j; /* to and fro: the last factor of a row is the first of the next */
                    sum[r][s] += p[i % 2][r] * q[i % 2][s];
                }
        }
    }
}

/* Hands the sums of a part to the block that has the tile's first. Neighbouring threads write neighbouring fours. */
static __device__ void
leave(const float sum[8][16], float4 *to, unsigned *flag)
{
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int s = 0; s < 16; s += 4)
            to[(r * 4 + s / 4) * THREADS + threadIdx.x] =
                make_float4(sum[r][s], sum[r][s + 1], sum[r][s + 2], sum[r][s + 3]);
    __threadfence(); /* each thread's sums are there for all blocks, */
    __syncthreads(); /* those of all threads, */
    if (threadIdx.x == 0)
        *(volatile unsigned *)flag = 1; /* before the flag is */
}

static __device__ void
add_left(float sum[8][16], const float4 *from, const unsigned *flag)
{
    if (threadIdx.x == 0) {
        while (!*(const volatile unsigned *)flag)
            ;
        __threadfence();
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int s = 0; s < 16; s += 4) {
            float4 more = __ldcg(&from[(r * 4 + s / 4) * THREADS + threadIdx.x]);
            sum[r][s] += more.x;
            sum[r][s + 1] += more.y;
            sum[r][s + 2] += more.z;
            sum[r][s + 3] += more.w;
        }
}

/* Where the part of a block begins in the line of steps; the next one's begin is its end. */
static __device__ int
begin(int line, int block)
{
    return (int)((long long)line * block / gridDim.x);
}

static __device__ void
store(const float sum[8][16], float *c, int pitch)
{
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int s = 0; s < 16; s += 4)
            *(float4 *)&c[(r % 4 + r / 4 * 16) * pitch + 8 * s] =
                make_float4(sum[r][s], sum[r][s + 1], sum[r][s + 2], sum[r][s + 3]);
}

/* left: room for each block's sums of a tile. flags: a word per block and one for the numbers drawn, all 0. */
extern "C" __global__ void __launch_bounds__(THREADS)
multiply(const float *a, const float *b, float *c, int n, int pitch, float4 *left, unsigned *flags)
{
    extern __shared__ __align__(16) stage stages[];
    __shared__ int drawn;
    int t = threadIdx.x, warp = t / 32, lane = t % 32, blocks = gridDim.x;
    int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 128 + lane % 8 * 4; /* and those 16 and 32 further on */
    if (t == 0)
        drawn = atomicAdd(&flags[blocks], 1);
    __syncthreads();
    int me = blocks - 1 - drawn;

    int tiles = pitch / HIGH * (pitch / WIDE), steps = (n + DEEP - 1) / DEEP;
    int cut = tiles % blocks, line = cut * steps; /* the tiles that are cut, and the line of their steps */
    float sum[8][16];
#pragma unroll 1
    for (int from = begin(line, me), end = begin(line, me + 1); from < end;) {
        int tile = from / steps, first = from % steps, last = min(steps, end - tile * steps);
        from = tile * steps + last;
        place at = tile_at(tile, pitch);
        add_products(sum, stages, a, b, pitch, at, first, last, row, column);
        if (first > 0) {
            leave(sum, left + me * (HIGH * WIDE / 4), &flags[me]);
            continue;
        }
        /* The parts that begin before the tile's end belong to it too. With few steps some have none. */
        for (int other = me + 1; last < steps && begin(line, other) < (tile + 1) * steps; other++)
            if (begin(line, other) < begin(line, other + 1))
                add_left(sum, left + other * (HIGH * WIDE / 4), &flags[other]);
        store(sum, &c[(at.y + row) * pitch + at.x + column], pitch);
    }
#pragma unroll 1
    for (int tile = cut + me; tile < tiles; tile += blocks) {
        place at = tile_at(tile, pitch);
        add_products(sum, stages, a, b, pitch, at, 0, steps, row, column);
        store(sum, &c[(at.y + row) * pitch + at.x + column], pitch);
    }
}
