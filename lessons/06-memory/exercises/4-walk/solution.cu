extern "C" __global__ void scale(const int *m, int *out, int rows, int columns)
{
    int row = blockIdx.y * 16 + threadIdx.y;
    int column = blockIdx.x * 16 + threadIdx.x;
    if (row < rows && column < columns)
        out[row * columns + column] = 3 * m[row * columns + column];
}
