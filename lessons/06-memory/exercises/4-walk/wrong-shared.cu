extern "C" __global__ void scale(const int *m, int *out, int rows, int columns)
{
    __shared__ int tile[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row < rows && column < columns)
        tile[threadIdx.y][threadIdx.x] = m[row * columns + column];
    __syncthreads();
    if (row < rows && column < columns)
        out[row * columns + column] = 3 * tile[threadIdx.y][threadIdx.x];
}
