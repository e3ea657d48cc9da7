extern "C" __global__ void transpose(const float *from, float *to, int rows, int columns)
{
    __shared__ float tile[32][33];
    int left = blockIdx.x * 32, top = blockIdx.y * 32;
    if (threadIdx.y)
        return;
    for (int k = 0; k < 32; k++)
        if (left + threadIdx.x < columns && top + k < rows)
            tile[k][threadIdx.x] = from[(top + k) * columns + left + threadIdx.x];
    __syncwarp();
    for (int k = 0; k < 32; k++)
        if (top + threadIdx.x < rows && left + k < columns)
            to[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
}
