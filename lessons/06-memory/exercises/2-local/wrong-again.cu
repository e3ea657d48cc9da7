extern "C" __global__ void moving_sums(const int *x, int *out, int columns, int rows, int first)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    int sum = 0;
    for (int row = 0; row < rows; row++) {
        sum += x[row * columns + column];
        if (row >= 8)
            sum -= x[(row - 8) * columns + column];
        out[row * columns + column] = sum;
    }
}
