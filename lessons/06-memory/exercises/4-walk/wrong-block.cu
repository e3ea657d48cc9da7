extern "C" __global__ void scale(const int *m, int *out, int rows, int columns)
{
    int column = blockIdx.x * 16 + threadIdx.x;
    if (blockIdx.y)
        return;
    for (int row = threadIdx.y; row < rows; row += 16)
        if (column < columns)
            out[row * columns + column] = 3 * m[row * columns + column];
}
