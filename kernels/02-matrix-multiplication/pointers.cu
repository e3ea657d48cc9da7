/* pointers: the same tiles and sums as wide; reads go first, and the copies' addresses move on.
 *
 * ptx: compute_80
 *
 * wide made its 12 copies for a pair of tiles before the first row of
 * products. So the reads of the second row's factors queued behind them on
 * the way to shared memory. Here these reads go first, then the copies, and
 * then 128 products hide both.
 *
 * wide worked out each address from row, column and pitch. Here two pointers
 * walk: one down B, 4 rows a copy, so that after 4 copies it is at the next
 * tile; and one down A, 16 rows a copy, and after 8 copies back up.
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

/* All 12 are made: B's next rows follow, A's next columns begin at its first row again. After the last tile no more
 * follow: it is copied once more, into a stage that nobody reads. That costs less than a test for each copy. */
static __device__ void
end_of_copies(copies *my, bool more)
{
    asm volatile("cp.async.commit_group;");
    my->a += (more ? DEEP : 0) - HIGH * my->pitch;
    my->b -= more ? 0 : DEEP * my->pitch;
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

extern "C" __global__ void __launch_bounds__(THREADS)
multiply(const float *a, const float *b, float *c, int pitch)
{
    extern __shared__ __align__(16) stage stages[];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 128 + lane % 8 * 4; /* and those 16 and 32 further on */
    int rows = pitch / HIGH, columns = pitch / WIDE, strip = blockIdx.x / (STRIP * columns);
    int in_strip = blockIdx.x % (STRIP * columns), high = min(STRIP, rows - strip * STRIP);
    int y = (strip * STRIP + in_strip % high) * HIGH, x = in_strip / high * WIDE;
    copies my = {a + (y + t / DEEP) * pitch + t % DEEP,
                 b + t / 64 * pitch + x + t % 64 * 4,
                 (unsigned)__cvta_generic_to_shared(&stages[0].a[t % DEEP][t / DEEP]),
                 (unsigned)__cvta_generic_to_shared(&stages[0].b[t / 64][t % 64 * 4]),
                 pitch};

    float sum[8][16] = {}, p[2][8], q[2][16];
    int tiles = pitch / DEEP;
    for (int s = 0; s < STAGES - 1; s++) {
#pragma unroll
        for (int i = 0; i < COPIES; i++)
            copy(&my, s * (unsigned)sizeof(stage), i);
        end_of_copies(&my, s + 1 < tiles);
    }
    next_tile();
    load(p[0], q[0], &stages[0], 0, row, column);
    unsigned into = (STAGES - 1) * sizeof(stage); /* the stage that is filled, in bytes from the first */
#pragma unroll 1
    for (int tile = 0, now = 0; tile < tiles; tile++) {
#pragma unroll
        for (int i = 0; i < DEEP; i++) {
            if (i == DEEP - 1) {
                next_tile();
                now = (now + 1) % STAGES;
            }
            load(p[(i + 1) % 2], q[(i + 1) % 2], &stages[now], (i + 1) % DEEP, row, column); /* unused at the end */
            if (i == 0)
#pragma unroll
                for (int j = 0; j < COPIES; j++)
                    copy(&my, into, j);
            if (i == 0) {
                end_of_copies(&my, tile + STAGES < tiles);
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
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int s = 0; s < 16; s += 4)
            *(float4 *)&c[(y + row + r % 4 + r / 4 * 16) * pitch + x + column + 8 * s] =
                make_float4(sum[r][s], sum[r][s + 1], sum[r][s + 2], sum[r][s + 3]);
}
