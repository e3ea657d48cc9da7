/* sparse-row: a thread for each row of the matrix.
 *
 * Row r has the values from offsets[r] up to before offsets[r + 1], each with
 * its column.
 */
extern "C" __global__ void
multiply(const int *offsets, const int *columns, const float *values, int rows, const float *x, float *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    int end = offsets[r + 1];
    float sum = 0;
#pragma unroll 1
    for (int i = offsets[r]; i < end; i++)
        sum += values[i] * __ldg(&x[columns[i]]);
    y[r] = sum;
}
