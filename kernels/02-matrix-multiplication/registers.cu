/* registers: a thread computes 4 x 4 elements instead of one.
 *
 * A block of 16 x 16 threads owns 64 x 64 elements. From 4 values of A and
 * 4 of B, read from shared memory into registers, a thread makes 16
 * products: half a shared load for each, not two. The tile along k is 16
 * deep. The sums are plain again: Kahan's would need 16 more registers per
 * thread and four operations where one does.
 *
 * Rows and columns of a thread are 16 apart, so that the lanes of a warp
 * read neighbouring words of B and store neighbouring words of C.
 */
#define SIDE 64
#define DEEP 16
#define EACH 4

extern "C" __global__ void
multiply(const float *a, const float *b, float *c, int pitch)
{
    __shared__ float a_tile[SIDE][DEEP + 1], b_tile[DEEP][SIDE];
    int x = threadIdx.x, y = threadIdx.y, thread = 16 * y + x;
    int row = blockIdx.y * SIDE, column = blockIdx.x * SIDE;
    float sum[EACH][EACH] = {};
#pragma unroll 1
    for (int k = 0; k < pitch; k += DEEP) {
#pragma unroll
        for (int i = 0; i < SIDE * DEEP; i += 256) {
            int at = i + thread;
            a_tile[at / DEEP][at % DEEP] = a[(row + at / DEEP) * pitch + k + at % DEEP];
            b_tile[at / SIDE][at % SIDE] = b[(k + at / SIDE) * pitch + column + at % SIDE];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEEP; i++) {
            float from_a[EACH], from_b[EACH];
#pragma unroll
            for (int r = 0; r < EACH; r++) {
                from_a[r] = a_tile[y + 16 * r][i];
                from_b[r] = b_tile[i][x + 16 * r];
            }
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
#pragma unroll
        for (int s = 0; s < EACH; s++)
            c[(row + y + 16 * r) * pitch + column + x + 16 * s] = sum[r][s];
}
