extern "C" __global__ void transpose(const float *from, float *to, int rows, int columns)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < columns && y + k < rows)
            to[x * rows + y + k] = from[(y + k) * columns + x];
}
