/* Exercise 6.4: out = 3 * m, a number for each thread.
 *
 * scale<<<g x g, 16 x 16>>>(m, out, rows, columns)
 */
extern "C" __global__ void scale(const int *m, int *out, int rows, int columns)
{
    int row = blockIdx.x * 16 + threadIdx.x;
    int column = blockIdx.y * 16 + threadIdx.y;
    if (row < rows && column < columns)
        out[row * columns + column] = 3 * m[row * columns + column];
}
