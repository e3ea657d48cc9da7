/* tensor: the same tiles, multiplied by tensor cores.
 *
 * ptx: compute_80
 *
 * One instruction of a warp multiplies a 16 x 8 piece of A by an 8 x 8
 * piece of B and adds it to a 16 x 8 piece of the product: 1024
 * multiply-adds. It takes numbers of 19 bits (tf32: a float's exponent, 10
 * fraction bits) and adds in float. The instruction fixes which lane holds
 * which element of a piece: lane l has row l / 4 and column l % 4 of A,
 * and so on, as the code below has it.
 *
 * A block of 8 warps owns 128 x 128 elements, a warp 64 x 32, in 4 by 4
 * pieces. Two pairs of tiles in shared memory, as in large.
 */
#define SIDE 128
#define DEEP 16

static __device__ unsigned
rounded(float x) /* to tf32 */
{
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}

static __device__ void
multiply_add(float *d, const unsigned *a, const unsigned *b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

static __device__ uint4
four_rounded(float4 x)
{
    return make_uint4(rounded(x.x), rounded(x.y), rounded(x.z), rounded(x.w));
}

extern "C" __global__ void __launch_bounds__(256, 2)
multiply(const float *a, const float *b, float *c, int pitch)
{
    __shared__ __align__(16) unsigned a_tile[2][SIDE][DEEP + 4], b_tile[2][DEEP][SIDE + 8];
    int t = threadIdx.x, warp = t / 32, group = t % 32 / 4, place = t % 4;
    int row = warp / 4 * 64 + group, column = warp % 4 * 32;
    a += blockIdx.y * SIDE * pitch;
    b += blockIdx.x * SIDE;
    c += blockIdx.y * SIDE * pitch + blockIdx.x * SIDE;

    float sum[4][4][4] = {};
    float4 from_a[2], from_b[2];
    int now = 1;
#pragma unroll 1
    for (int k = -DEEP; k < pitch; k += DEEP) {
        int next = k + DEEP;
        if (next < pitch)
#pragma unroll
            for (int i = 0; i < 2; i++) {
                int at = t + 256 * i;
                from_a[i] = __ldg((const float4 *)&a[at / 4 * pitch + next + at % 4 * 4]);
                from_b[i] = __ldg((const float4 *)&b[(next + at / 32) * pitch + at % 32 * 4]);
            }
        if (k >= 0)
#pragma unroll
            for (int i = 0; i < DEEP; i += 8) {
                unsigned p[4][4], q[4][2];
#pragma unroll
                for (int m = 0; m < 4; m++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        p[m][e] = a_tile[now][row + 16 * m + e % 2 * 8][i + place + e / 2 * 4];
#pragma unroll
                for (int n = 0; n < 4; n++)
#pragma unroll
                    for (int e = 0; e < 2; e++)
                        q[n][e] = b_tile[now][i + place + 4 * e][column + 8 * n + group];
#pragma unroll
                for (int m = 0; m < 4; m++)
#pragma unroll
                    for (int n = 0; n < 4; n++)
                        multiply_add(sum[m][n], p[m], q[n]);
            }
        if (next < pitch) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                int at = t + 256 * i;
                *(uint4 *)&a_tile[1 - now][at / 4][at % 4 * 4] = four_rounded(from_a[i]);
                *(uint4 *)&b_tile[1 - now][at / 32][at % 32 * 4] = four_rounded(from_b[i]);
            }
            __syncthreads();
            now = 1 - now;
        }
    }
#pragma unroll
    for (int m = 0; m < 4; m++)
#pragma unroll
        for (int n = 0; n < 4; n++) {
            float *to = &c[(row + 16 * m) * pitch + column + 8 * n + 2 * place];
            *(float2 *)to = make_float2(sum[m][n][0], sum[m][n][1]);
            *(float2 *)(to + 8 * pitch) = make_float2(sum[m][n][2], sum[m][n][3]);
        }
}
