extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[16][16], b_tile[16][16], sum[16][16];
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    if (threadIdx.x || threadIdx.y)
        return;
    for (int i = 0; i < 256; i++)
        sum[i / 16][i % 16] = 0;
    for (int t = 0; t < n; t += 16) {
        for (int i = 0; i < 256; i++) {
            int y = i / 16, x = i % 16;
            a_tile[y][x] = row + y < n && t + x < n ? a[(row + y) * n + t + x] : 0;
            b_tile[y][x] = t + y < n && column + x < n ? b[(t + y) * n + column + x] : 0;
        }
        for (int i = 0; i < 256; i++)
            for (int k = 0; k < 16; k++)
                sum[i / 16][i % 16] += a_tile[i / 16][k] * b_tile[k][i % 16];
    }
    for (int i = 0; i < 256; i++)
        if (row + i / 16 < n && column + i % 16 < n)
            c[(row + i / 16) * n + column + i % 16] = sum[i / 16][i % 16];
}
