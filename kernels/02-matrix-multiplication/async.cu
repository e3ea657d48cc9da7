/* async: the same tiles and sums as large, but memory writes into shared memory by itself.
 *
 * ptx: compute_80
 *
 * cp.async says: copy these bytes from the card's memory into shared memory,
 * and go on. No register holds them on the way, so many can be under way:
 * there are four pairs of tiles, and while one is multiplied, three are
 * filled. A thread commits its copies of a tile as a group and later waits
 * until all but the newest two groups have arrived. A barrier then makes
 * them known to the block.
 *
 * A tile of A is stored transposed. A copy moves 4, 8 or 16 bytes as they
 * are, so A's numbers go one by one, each to its own place; B's by four.
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

extern "C" __global__ void __launch_bounds__(THREADS, 2)
multiply(const float *a, const float *b, float *c, int pitch)
{
    __shared__ __align__(16) stage stages[STAGES];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4; /* and those 16 and 32 further on */
    a += blockIdx.y * SIDE * pitch;
    b += blockIdx.x * SIDE;
    c += blockIdx.y * SIDE * pitch + blockIdx.x * SIDE;

    float sum[8][8] = {};
    for (int s = 0; s < STAGES - 1; s++)
        fetch(&stages[s], a, b, pitch, s * DEEP);
#pragma unroll 1
    for (int k = 0, now = 0; k < pitch; k += DEEP, now = (now + 1) % STAGES) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads(); /* the tile has arrived, and nobody uses the one before it any more */
        fetch(&stages[(now + STAGES - 1) % STAGES], a, b, pitch, k + (STAGES - 1) * DEEP);
        const stage *from = &stages[now];
#pragma unroll
        for (int i = 0; i < DEEP; i++) {
            float p[8], q[8];
            *(float4 *)&p[0] = *(const float4 *)&from->a[i][row];
            *(float4 *)&p[4] = *(const float4 *)&from->a[i][row + 16];
            *(float4 *)&q[0] = *(const float4 *)&from->b[i][column];
            *(float4 *)&q[4] = *(const float4 *)&from->b[i][column + 32];
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int s = 0; s < 8; s++)
                    sum[r][s] += p[r] * q[s];
        }
    }
#pragma unroll
    for (int r = 0; r < 8; r++) {
        float *to = &c[(row + r % 4 + r / 4 * 16) * pitch + column];
        *(float4 *)to = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
        *(float4 *)(to + 32) = make_float4(sum[r][4], sum[r][5], sum[r][6], sum[r][7]);
    }
}
