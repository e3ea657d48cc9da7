/* wide: 128 x 256 elements per block, 8 x 16 per thread.
 *
 * ptx: compute_80
 *
 * From 8 numbers of A and 16 of B a thread makes 128 products: six loads of
 * four numbers for 128 instead of four for 64. The sums alone take 128
 * registers, so a multiprocessor holds one such block, and the tiles may
 * have most of its shared memory: 97 KB for four stages, 16 deep. So much
 * has to be asked for at the launch.
 *
 * Blocks are numbered down strips of 8 tiles, not along whole rows: those
 * that run at the same time then share rows of A and columns of B in the
 * card's cache.
 */
#define HIGH 128
#define WIDE 256
#define DEEP 16
#define STAGES 4
#define THREADS 256
#define STRIP 8

typedef struct stage {
    float a[DEEP][HIGH + 4], b[DEEP][WIDE];
} stage;

static __device__ void
copy_4(float *to, const float *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

static __device__ void
copy_16(float *to, const float *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

static __device__ void
fetch(stage *to, const float *a, const float *b, int pitch, int k)
{
    int t = threadIdx.x;
    if (k < pitch) {
#pragma unroll
        for (int i = 0; i < HIGH * DEEP / THREADS; i++) {
            int row = t / DEEP + i * (THREADS / DEEP);
            copy_4(&to->a[t % DEEP][row], &a[row * pitch + k + t % DEEP]);
        }
#pragma unroll
        for (int i = 0; i < DEEP * WIDE / 4 / THREADS; i++) {
            int row = t / 64 + i * (THREADS / 64);
            copy_16(&to->b[row][t % 64 * 4], &b[(k + row) * pitch + t % 64 * 4]);
        }
    }
    asm volatile("cp.async.commit_group;");
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
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 128 + lane % 8 * 4; /* and those 16 and 32 further on */
    int rows = pitch / HIGH, columns = pitch / WIDE, strip = blockIdx.x / (STRIP * columns);
    int in_strip = blockIdx.x % (STRIP * columns), high = min(STRIP, rows - strip * STRIP);
    int y = (strip * STRIP + in_strip % high) * HIGH, x = in_strip / high * WIDE;
    a += y * pitch;
    b += x;
    c += y * pitch + x;

    float sum[8][16] = {}, p[2][8], q[2][16];
    for (int s = 0; s < STAGES - 1; s++)
        fetch(&stages[s], a, b, pitch, s * DEEP);
    next_tile();
    load(p[0], q[0], &stages[0], 0, row, column);
#pragma unroll 1
    for (int k = 0, now = 0; k < pitch; k += DEEP) {
        fetch(&stages[(now + STAGES - 1) % STAGES], a, b, pitch, k + (STAGES - 1) * DEEP);
#pragma unroll
        for (int i = 0; i < DEEP; i++) {
            if (i == DEEP - 1) {
                next_tile();
                now = (now + 1) % STAGES;
            }
            load(p[(i + 1) % 2], q[(i + 1) % 2], &stages[now], (i + 1) % DEEP, row, column); /* unused at the end */
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
            *(float4 *)&c[(row + r % 4 + r / 4 * 16) * pitch + column + 8 * s] =
                make_float4(sum[r][s], sum[r][s + 1], sum[r][s + 2], sum[r][s + 3]);
}
