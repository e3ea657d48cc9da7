/* The tile of A stored turned over, the tests kept in flags. */
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float turned[16][17], straight[16][17];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    const bool in_row = row < n, in_column = column < n;
    float sum = 0.0f;
    for (int tile = 0; tile < (n + 15) / 16; tile++) {
        float from_a = 0, from_b = 0;
        if (in_row && 16 * tile + x < n)
            from_a = a[row * n + 16 * tile + x];
        if (in_column && 16 * tile + y < n)
            from_b = b[(16 * tile + y) * n + column];
        __syncthreads();
        turned[x][y] = from_a;
        straight[y][x] = from_b;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += turned[i][y] * straight[i][x];
    }
    if (in_row && in_column)
        c[row * n + column] = sum;
}
