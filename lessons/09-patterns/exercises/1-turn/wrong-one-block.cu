extern "C" __global__ void transpose(const float *from, float *to, int rows, int columns)
{
    __shared__ float tile[32][33];
    if (blockIdx.x || blockIdx.y)
        return;
    for (int top = 0; top < rows; top += 32)
        for (int left = 0; left < columns; left += 32) {
            for (int k = threadIdx.y; k < 32; k += 8)
                if (left + threadIdx.x < columns && top + k < rows)
                    tile[k][threadIdx.x] = from[(top + k) * columns + left + threadIdx.x];
            __syncthreads();
            for (int k = threadIdx.y; k < 32; k += 8)
                if (top + threadIdx.x < rows && left + k < columns)
                    to[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
            __syncthreads();
        }
}
