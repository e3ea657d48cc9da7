extern "C" __global__ void moving_sums(const int *x, int *out, int columns, int rows, int first)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    int sum = 0;
    for (int row = 0; row < rows; row++) {
        int number = x[row * columns + column];
        sum += number - (row < 8 ? 0 : atomicAdd((int *)x + (row - 8) * columns + column, 0));
        out[row * columns + column] = sum;
    }
}
