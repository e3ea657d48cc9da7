/* softmax-unsafe: as the formula stands in a book. One thread a row. */
extern "C" __global__ void
softmax(const float *__restrict__ x, float *__restrict__ y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += row * columns;
    y += row * columns;
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < columns; i++)
        sum += expf(x[i]);
#pragma unroll 1
    for (int i = 0; i < columns; i++)
        y[i] = expf(x[i]) / sum;
}
