/* split: 64 x 128 elements per block, and two halves of the block for each sum.
 *
 * ptx: compute_80
 *
 * With n = 1000 there are 8 x 8 tiles of 128 x 128: 64 blocks, and half of a
 * large card has nothing to do. Tiles of 64 x 128 make 128 blocks. Such a
 * block of 8 x 8 sums per thread has 128 threads, one warp for each
 * scheduler, which then has nobody to turn to. So there are 256: both halves
 * work at the same 64 x 128 sums, the first with the upper rows of each pair
 * of tiles, the second with the lower. At the end the second half hands its
 * sums over through shared memory, and the first adds them to its own.
 *
 * A half has 16 of a tile's 32 rows between two barriers. The 12 copies of a
 * thread are made behind the reads for three of these rows, four each.
 *
 * Beyond n all factors are zero, so the last rows need not be multiplied.
 */
#define HIGH 64
#define WIDE 128
#define DEEP 32
#define STAGES 3
#define THREADS 256
#define HALF (DEEP / 2)
#define OF_B (DEEP * WIDE / 4 / THREADS)      /* copies of a thread: four of four numbers */
#define COPIES (OF_B + HIGH * DEEP / THREADS) /* and eight of one */
#define TOGETHER 4                            /* of them at a time */

typedef struct stage {
    float a[DEEP][HIGH + 4], b[DEEP][WIDE];
} stage;

/* Where the next copies of a thread come from, and where those of the first stage go to. */
typedef struct copies {
    const float *a, *b;
    unsigned to_a, to_b; /* addresses in shared memory */
    int pitch;
} copies;

/* The i-th of a thread's copies for a stage: 8 rows of B, then 8 rows of A, further on than the one before. */
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
load(float p[8], float q[8], const stage *from, int i, int row, int column)
{
    *(float4 *)&p[0] = *(const float4 *)&from->a[i][row];
    *(float4 *)&p[4] = *(const float4 *)&from->a[i][row + 16];
    *(float4 *)&q[0] = *(const float4 *)&from->b[i][column];
    *(float4 *)&q[4] = *(const float4 *)&from->b[i][column + 32];
}

static __device__ void
next_tile(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads(); /* it has arrived, and nobody loads from the one before it any more */
}

extern "C" __global__ void __launch_bounds__(THREADS)
multiply(const float *a, const float *b, float *c, int n, int pitch)
{
    extern __shared__ __align__(16) stage stages[];
    int t = threadIdx.x, warp = t / 32, lane = t % 32, half = warp / 4;
    int row = warp % 4 / 2 * 32 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4; /* the same in both halves */
    int y = blockIdx.y * HIGH, x = blockIdx.x * WIDE;
    copies my = {a + (y + t / DEEP) * pitch + t % DEEP, b + t / (WIDE / 4) * pitch + x + t % (WIDE / 4) * 4,
                 (unsigned)__cvta_generic_to_shared(&stages[0].a[t % DEEP][t / DEEP]),
                 (unsigned)__cvta_generic_to_shared(&stages[0].b[t / (WIDE / 4)][t % (WIDE / 4) * 4]), pitch};
    float sum[8][8] = {}, p[2][8], q[2][8];
    int steps = (n + DEEP - 1) / DEEP;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps)
#pragma unroll
            for (int i = 0; i < COPIES; i++)
                copy(&my, s * (unsigned)sizeof(stage), i);
        end_of_copies(&my);
    }
    next_tile();
    load(p[0], q[0], &stages[0], half * HALF, row, column);
    unsigned into = (STAGES - 1) * sizeof(stage); /* the stage that is filled, in bytes from the first */
#pragma unroll 1
    for (int step = 0, now = 0; step < steps; step++) {
        bool more = step + STAGES - 1 < steps;
#pragma unroll
        for (int i = 0; i < HALF; i++) {
            if (i == HALF - 1) {
                next_tile();
                now = (now + 1) % STAGES;
            }
            load(p[(i + 1) % 2], q[(i + 1) % 2], &stages[now], half * HALF + (i + 1) % HALF, row, column);
            if (i % TOGETHER == 0 && i < COPIES && more)
#pragma unroll
                for (int j = 0; j < TOGETHER; j++)
                    copy(&my, into, i + j);
            if (i == COPIES) {
                end_of_copies(&my);
                into = into < (STAGES - 1) * sizeof(stage) ? into + sizeof(stage) : 0;
            }
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sum[r][j] += p[i % 2][r] * q[i % 2][j];
        }
    }
    __syncthreads(); /* the tiles are not needed any more: the sums go to the same memory */
    float(*sums)[WIDE] = (float(*)[WIDE])stages;
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            if (half == 1)
                *(float4 *)&sums[row + r % 4 + r / 4 * 16][column + 8 * j] =
                    make_float4(sum[r][j], sum[r][j + 1], sum[r][j + 2], sum[r][j + 3]);
    __syncthreads();
    if (half == 1)
        return;
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            int y1 = row + r % 4 + r / 4 * 16, x1 = column + 8 * j;
            float4 other = *(const float4 *)&sums[y1][x1];
            *(float4 *)&c[(y + y1) * pitch + x + x1] = make_float4(sum[r][j] + other.x, sum[r][j + 1] + other.y,
                                                       sum[r][j + 2] + other.z, sum[r][j + 3] + other.w);
        }
}
