extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[64][17], b_tile[16][64];
    int x = threadIdx.x, y = threadIdx.y, thread = 16 * y + x;
    int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = thread; i < 1024; i += 256) {
            int down = i / 16, right = i % 16;
            a_tile[down][right] = row + down < n && k + right < n ? a[(row + down) * n + k + right] : 0;
            down = i / 64, right = i % 64;
            b_tile[down][right] = k + down < n && column + right < n ? b[(k + down) * n + column + right] : 0;
        }
        __syncthreads();
        for (int i = 0; i < 16; i++) {
            float from_a[4], from_b[4];
#pragma unroll
            for (int r = 0; r < 4; r++) {
                from_a[r] = a_tile[y + 16 * r][i];
                from_b[r] = b_tile[i][x + 16 * r];
            }
#pragma unroll 1
            for (int r = 0; r < 4; r++)
#pragma unroll 1
                for (int s = 0; s < 4; s++)
                    sum[r][s] += from_a[r] * from_b[s];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int s = 0; s < 4; s++)
            if (row + y + 16 * r < n && column + x + 16 * s < n)
                c[(row + y + 16 * r) * n + column + x + 16 * s] = sum[r][s];
}
