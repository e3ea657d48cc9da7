/* ahead: the same copies, and the next numbers of a thread loaded before it needs them.
 *
 * ptx: compute_80
 *
 * A load from shared memory takes some thirty clocks. Here a thread has two
 * sets of factors in registers: it loads those of the next row of the tiles,
 * then multiplies with those that it has. The loads are on their way while
 * it multiplies. This goes on over the end of a tile: its last row is
 * multiplied while the first row of the next tile is loaded, so the wait and
 * the barrier come one row before the end.
 */
#define SIDE 128
#define DEEP 8
#define STAGES 4
#define THREADS 256

typedef struct stage {
    float a[DEEP][SIDE + 4], b[DEEP][SIDE];
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
        for (int row = t / DEEP; row < SIDE; row += THREADS / DEEP)
            copy_4(&to->a[t % DEEP][row], &a[row * pitch + k + t % DEEP]);
        copy_16(&to->b[t / 32][t % 32 * 4], &b[(k + t / 32) * pitch + t % 32 * 4]);
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

extern "C" __global__ void __launch_bounds__(THREADS, 2)
multiply(const float *a, const float *b, float *c, int pitch)
{
    __shared__ __align__(16) stage stages[STAGES];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4; /* and those 16 and 32 further on */
    a += blockIdx.y * SIDE * pitch;
    b += blockIdx.x * SIDE;
    c += blockIdx.y * SIDE * pitch + blockIdx.x * SIDE;

    float sum[8][8] = {}, p[2][8], q[2][8];
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
                for (int s = 0; s < 8; s++)
                    sum[r][s] += p[i % 2][r] * q[i % 2][s];
        }
    }
#pragma unroll
    for (int r = 0; r < 8; r++) {
        float *to = &c[(row + r % 4 + r / 4 * 16) * pitch + column];
        *(float4 *)to = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
        *(float4 *)(to + 32) = make_float4(sum[r][4], sum[r][5], sum[r][6], sum[r][7]);
    }
}
