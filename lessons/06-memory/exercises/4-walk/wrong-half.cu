extern "C" __global__ void scale(const int *m, int *out, int rows, int columns)
{
    __shared__ int tile[16][17];
    int row = blockIdx.y * 16, column = blockIdx.x * 16, x = threadIdx.x, y = threadIdx.y;
    if (row + y < rows && column + x < columns)
        tile[y][x] = 3 * m[(row + y) * columns + column + x];
    __syncthreads();
    if (row + x < rows && column + y < columns)
        out[(row + x) * columns + column + y] = tile[x][y];
}
