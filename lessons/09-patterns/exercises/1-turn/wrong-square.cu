extern "C" __global__ void transpose(const float *from, float *to, int rows, int columns)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < columns && y + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * columns + x];
    __syncthreads();

    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < rows && y + k < columns)
            to[(y + k) * columns + x] = tile[threadIdx.x][threadIdx.y + k];
}
