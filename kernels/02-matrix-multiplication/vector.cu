/* vector: the same 64 x 64 elements per block, moved four at a time.
 *
 * One instruction loads 16 bytes, from the card's memory and from shared
 * memory. For that a thread's 4 rows and 4 columns are adjacent, and
 * the tile of A is stored transposed, so that its 4 values are too. A
 * quarter of the load instructions for the same bytes.
 */
#define SIDE 64
#define DEEP 16
#define EACH 4

extern "C" __global__ void
multiply(const float *a, const float *b, float *c, int pitch)
{
    __shared__ __align__(16) float a_tile[DEEP][SIDE + 4], b_tile[DEEP][SIDE];
    int x = threadIdx.x, y = threadIdx.y, thread = 16 * y + x;
    int row = blockIdx.y * SIDE, column = blockIdx.x * SIDE;
    float sum[EACH][EACH] = {};
#pragma unroll 1
    for (int k = 0; k < pitch; k += DEEP) {
        /* 256 threads, 4 numbers each: all of either tile */
        int a_row = thread / (DEEP / 4), a_column = thread % (DEEP / 4) * 4;
        int b_row = thread / (SIDE / 4), b_column = thread % (SIDE / 4) * 4;
        float4 four = *(const float4 *)&a[(row + a_row) * pitch + k + a_column];
        a_tile[a_column][a_row] = four.x;
        a_tile[a_column + 1][a_row] = four.y;
        a_tile[a_column + 2][a_row] = four.z;
        a_tile[a_column + 3][a_row] = four.w;
        *(float4 *)&b_tile[b_row][b_column] = *(const float4 *)&b[(k + b_row) * pitch + column + b_column];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEEP; i++) {
            float4 p = *(const float4 *)&a_tile[i][EACH * y], q = *(const float4 *)&b_tile[i][EACH * x];
            float from_a[EACH] = {p.x, p.y, p.z, p.w}, from_b[EACH] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int r = 0; r < EACH; r++)
#pragma unroll
                for (int s = 0; s < EACH; s++)
                    sum[r][s] += from_a[r] * from_b[s];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < EACH; r++)
        *(float4 *)&c[(row + EACH * y + r) * pitch + column + EACH * x] =
            make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}
