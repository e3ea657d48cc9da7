__device__ float at(const float *m, int row, int column, int n)
{
    return row < n && column < n ? m[row * n + column] : 0.0f;
}

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[2][16][16], b_tile[2][16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    int turns = (n + 15) / 16;
    float sum = 0;

    a_tile[0][y][x] = at(a, row, x, n);
    b_tile[0][y][x] = at(b, y, column, n);
    for (int t = 0; t < turns; t++) {
        int use = t % 2, next = 1 - use, k = (t + 1) * 16;
        if (t + 1 < turns) {
            a_tile[next][y][x] = at(a, row, k + x, n);
            b_tile[next][y][x] = at(b, k + y, column, n);
        }
        for (int i = 0; i < 16; i++)
            sum += a_tile[use][y][i] * b_tile[use][i][x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}
