/* Exercise 9.6: a sparse matrix times a vector, a thread for each row.
 *
 * multiply<<<ceil(rows / 8), 256>>>(offsets, columns, values, rows, x, y)
 */
extern "C" __global__ void multiply(const int *offsets, const int *columns, const float *values, int rows,
                                    const float *x, float *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = offsets[r]; i < offsets[r + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[r] = sum;
}
