/* Exercise 6.5: c = a * b, four elements for each thread.
 *
 * multiply<<<ceil(n / 16) x ceil(n / 16), 8 x 8>>>(a, b, c, n)
 */
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int row = 2 * (blockIdx.y * 8 + threadIdx.y);
    int column = 2 * (blockIdx.x * 8 + threadIdx.x);
    if (row >= n || column >= n)
        return;
    for (int r = row; r < row + 2; r++)
        for (int s = column; s < column + 2; s++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[r * n + k] * b[k * n + s];
            c[r * n + s] = sum;
        }
}
