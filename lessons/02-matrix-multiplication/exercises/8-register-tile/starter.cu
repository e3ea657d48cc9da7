/* Exercise 2.8: sixteen elements per thread, one after another.
 *
 * multiply<<<(ceil(n / 64), ceil(n / 64)), (16, 16)>>>(a, b, c, n)
 */
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[16][16], b_tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    for (int element = 0; element < 16; element++) {
        int row = blockIdx.y * 64 + element / 4 * 16 + y;
        int column = blockIdx.x * 64 + element % 4 * 16 + x;
        float sum = 0;
        for (int k = 0; k < n; k += 16) {
            a_tile[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0;
            b_tile[y][x] = k + y < n && column < n ? b[(k + y) * n + column] : 0;
            __syncthreads();
            for (int i = 0; i < 16; i++)
                sum += a_tile[y][i] * b_tile[i][x];
            __syncthreads();
        }
        if (row < n && column < n)
            c[row * n + column] = sum;
    }
}
