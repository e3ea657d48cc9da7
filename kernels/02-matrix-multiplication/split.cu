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
 * Beyond n all factors are zero, so the last rows need not be multiplied.
 */
#define HIGH 64
#define WIDE 128
#define DEEP 16
#define STAGES 3
#define THREADS 256
#define HALF (DEEP / 2)

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
fetch(stage *to, const float *a, const float *b, int n, int pitch, int k)
{
    int t = threadIdx.x;
    if (k < n) {
#pragma unroll
        for (int i = 0; i < HIGH * DEEP / THREADS; i++) {
            int row = t / DEEP + i * (THREADS / DEEP);
            copy_4(&to->a[t % DEEP][row], &a[row * pitch + k + t % DEEP]);
        }
#pragma unroll
        for (int i = 0; i < DEEP * WIDE / 4 / THREADS; i++) {
            int row = t / 32 + i * (THREADS / 32);
            copy_16(&to->b[row][t % 32 * 4], &b[(k + row) * pitch + t % 32 * 4]);
        }
    }
    asm volatile("cp.async.commit_group;");
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
    __shared__ __align__(16) union {
        stage stages[STAGES];
        float sums[HIGH][WIDE];
    } s;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, half = warp / 4;
    int row = warp % 4 / 2 * 32 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4; /* the same in both halves */
    a += blockIdx.y * HIGH * pitch;
    b += blockIdx.x * WIDE;
    c += blockIdx.y * HIGH * pitch + blockIdx.x * WIDE;

    float sum[8][8] = {}, p[2][8], q[2][8];
    for (int i = 0; i < STAGES - 1; i++)
        fetch(&s.stages[i], a, b, n, pitch, i * DEEP);
    next_tile();
    load(p[0], q[0], &s.stages[0], half * HALF, row, column);
#pragma unroll 1
    for (int k = 0, now = 0; k < n; k += DEEP) {
        fetch(&s.stages[(now + STAGES - 1) % STAGES], a, b, n, pitch, k + (STAGES - 1) * DEEP);
#pragma unroll
        for (int i = 0; i < HALF; i++) {
            if (i == HALF - 1) {
                next_tile();
                now = (now + 1) % STAGES;
            }
            load(p[(i + 1) % 2], q[(i + 1) % 2], &s.stages[now], half * HALF + (i + 1) % HALF, row, column);
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sum[r][j] += p[i % 2][r] * q[i % 2][j];
        }
    }
    __syncthreads(); /* the tiles are not needed any more: the sums go to the same memory */
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            if (half == 1)
                *(float4 *)&s.sums[row + r % 4 + r / 4 * 16][column + 8 * j] =
                    make_float4(sum[r][j], sum[r][j + 1], sum[r][j + 2], sum[r][j + 3]);
    __syncthreads();
    if (half == 1)
        return;
#pragma unroll
    for (int r = 0; r < 8; r++)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            int y = row + r % 4 + r / 4 * 16, x = column + 8 * j;
            float4 other = *(const float4 *)&s.sums[y][x];
            *(float4 *)&c[y * pitch + x] = make_float4(sum[r][j] + other.x, sum[r][j + 1] + other.y,
                                                       sum[r][j + 2] + other.z, sum[r][j + 3] + other.w);
        }
}
