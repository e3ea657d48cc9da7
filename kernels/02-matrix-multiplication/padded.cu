/* padded: the tiles of 16 x 16, without guards.
 *
 * The matrices are allocated with rows and columns up to a multiple of 16
 * and zeros in them, so that every tile is whole. The padding adds only 0
 * times something to a sum. It costs memory, up to 15 rows and columns,
 * and saves the guards and their branches.
 */
#define TILE 16

extern "C" __global__ void
multiply(const float *a, const float *b, float *c, int pitch)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0, lost = 0;
#pragma unroll 1
    for (int k = 0; k < pitch; k += TILE) {
        a_tile[y][x] = a[row * pitch + k + x];
        b_tile[y][x] = b[(k + y) * pitch + column];
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
    c[row * pitch + column] = sum;
}
