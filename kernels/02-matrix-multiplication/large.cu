/* large: 128 x 128 elements per block, 8 x 8 per thread, and the next tile in flight.
 *
 * 256 threads. From 8 values of A and 8 of B a thread makes 64 products: a
 * quarter of a shared load of one number per product, and one load brings
 * four numbers. There are two tiles of A and two of B in shared memory:
 * while one pair is multiplied, the next is fetched from the card's memory
 * into registers and then put into the other pair. So there is one barrier
 * per tile, and no thread waits for memory there.
 *
 * A warp owns 32 x 64 of the elements, 4 by 8 lanes: a load of A is then 4
 * different words for all lanes, a load of B 8, and neither conflicts.
 */
#define SIDE 128
#define DEEP 8

static __device__ void
fetch(float4 *from_a, float4 *from_b, const float *a, const float *b, int pitch, int k)
{
    int t = threadIdx.x;
    *from_a = __ldg((const float4 *)&a[t / 2 * pitch + k + t % 2 * 4]);
    *from_b = __ldg((const float4 *)&b[(k + t / 32) * pitch + t % 32 * 4]);
}

static __device__ void
put(float (*a_tile)[SIDE + 4], float (*b_tile)[SIDE], float4 from_a, float4 from_b)
{
    int t = threadIdx.x, row = t / 2, k = t % 2 * 4;
    a_tile[k][row] = from_a.x; /* transposed: the 8 rows of a thread are adjacent */
    a_tile[k + 1][row] = from_a.y;
    a_tile[k + 2][row] = from_a.z;
    a_tile[k + 3][row] = from_a.w;
    *(float4 *)&b_tile[t / 32][t % 32 * 4] = from_b;
}

extern "C" __global__ void __launch_bounds__(256, 2)
multiply(const float *a, const float *b, float *c, int pitch)
{
    __shared__ __align__(16) float a_tile[2][DEEP][SIDE + 4], b_tile[2][DEEP][SIDE];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4; /* and those 16 and 32 further on */
    a += blockIdx.y * SIDE * pitch;
    b += blockIdx.x * SIDE;
    c += blockIdx.y * SIDE * pitch + blockIdx.x * SIDE;

    float sum[8][8] = {};
    float4 from_a, from_b;
    fetch(&from_a, &from_b, a, b, pitch, 0);
    put(a_tile[0], b_tile[0], from_a, from_b);
    __syncthreads();
    int now = 0;
#pragma unroll 1
    for (int k = DEEP; k <= pitch; k += DEEP) {
        if (k < pitch)
            fetch(&from_a, &from_b, a, b, pitch, k);
#pragma unroll
        for (int i = 0; i < DEEP; i++) {
            float p[8], q[8];
            *(float4 *)&p[0] = *(const float4 *)&a_tile[now][i][row];
            *(float4 *)&p[4] = *(const float4 *)&a_tile[now][i][row + 16];
            *(float4 *)&q[0] = *(const float4 *)&b_tile[now][i][column];
            *(float4 *)&q[4] = *(const float4 *)&b_tile[now][i][column + 32];
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int s = 0; s < 8; s++)
                    sum[r][s] += p[r] * q[s];
        }
        if (k < pitch) {
            put(a_tile[1 - now], b_tile[1 - now], from_a, from_b);
            __syncthreads();
            now = 1 - now;
        }
    }
#pragma unroll
    for (int r = 0; r < 8; r++) {
        float *to = &c[(row + r % 4 + r / 4 * 16) * pitch + column];
        *(float4 *)to = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
        *(float4 *)(to + 32) = make_float4(sum[r][4], sum[r][5], sum[r][6], sum[r][7]);
    }
}
