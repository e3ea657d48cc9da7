/* softmax-thread: the greatest number of the row is taken off first. Still
 * one thread a row, three times along it.
 */
extern "C" __global__ void
softmax(const float *__restrict__ x, float *__restrict__ y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += row * columns;
    y += row * columns;
    float most = x[0], sum = 0;
#pragma unroll 1
    for (int i = 1; i < columns; i++)
        most = fmaxf(most, x[i]);
#pragma unroll 1
    for (int i = 0; i < columns; i++)
        sum += expf(x[i] - most);
#pragma unroll 1
    for (int i = 0; i < columns; i++)
        y[i] = expf(x[i] - most) / sum;
}
