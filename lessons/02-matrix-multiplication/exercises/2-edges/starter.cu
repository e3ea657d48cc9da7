/* Exercise 2.2: a tiled product of matrices, right for n = 64.
 *
 * multiply<<<(ceil(n / 16), ceil(n / 16)), (16, 16)>>>(a, b, c, n)
 */
#define TILE 16

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    if (row >= n || column >= n)
        return;

    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        a_tile[y][x] = k + x < n ? a[row * n + k + x] : 0;
        b_tile[y][x] = k + y < n ? b[(k + y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
