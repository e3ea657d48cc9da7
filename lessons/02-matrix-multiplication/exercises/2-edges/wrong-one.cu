extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float p[16][16], q[16][16];
    if (threadIdx.x || threadIdx.y)
        return;
    int first = blockIdx.y * 16, left = blockIdx.x * 16;
    for (int k = 0; k < n; k += 16) {
        for (int i = 0; i < 256; i++) {
            int y = i / 16, x = i % 16;
            p[y][x] = first + y < n && k + x < n ? a[(first + y) * n + k + x] : 0;
            q[y][x] = k + y < n && left + x < n ? b[(k + y) * n + left + x] : 0;
        }
        for (int i = 0; i < 256; i++) {
            int y = i / 16, x = i % 16;
            if (first + y >= n || left + x >= n)
                continue;
            float *to = c + (first + y) * n + left + x;
            float sum = k ? *to : 0;
            for (int j = 0; j < 16; j++)
                sum += p[y][j] * q[j][x];
            *to = sum;
        }
    }
}
