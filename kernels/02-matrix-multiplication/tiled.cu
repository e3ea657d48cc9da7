/* tiled: a block computes a tile of 16 x 16 elements, from tiles of A and B
 * that it keeps in shared memory.
 *
 * Each thread loads one element of either tile; then each element is used
 * 16 times from shared memory. The loads fall to 2n^3 / 16. Two barriers
 * per tile: one before the tile is used, one before it is overwritten. n
 * need not be a multiple of 16, so loads and stores are guarded, and
 * elements outside count as zero.
 */
#define TILE 16

extern "C" __global__ void
multiply(const float *a, const float *b, float *c, int n, int pitch)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0, lost = 0;
#pragma unroll 1
    for (int k = 0; k < n; k += TILE) {
        a_tile[y][x] = row < n && k + x < n ? a[row * pitch + k + x] : 0;
        b_tile[y][x] = k + y < n && column < n ? b[(k + y) * pitch + column] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            float term = a_tile[y][i] * b_tile[i][x] - lost;
            float next = sum + term;
            lost = (next - sum) - term;
            sum = next;
        }
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * pitch + column] = sum;
}
