extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[64][17], b_tile[16][64];
    int x = threadIdx.x, y = threadIdx.y, thread = 16 * y + x;
    int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sum[16] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = thread; i < 1024; i += 256) {
            int down = i / 16, right = i % 16;
            a_tile[down][right] = row + down < n && k + right < n ? a[(row + down) * n + k + right] : 0;
            down = i / 64, right = i % 64;
            b_tile[down][right] = k + down < n && column + right < n ? b[(k + down) * n + column + right] : 0;
        }
        __syncthreads();
        for (int i = 0; i < 16; i++) {
            float from_a = a_tile[thread / 4][i];
#pragma unroll
            for (int s = 0; s < 16; s++)
                sum[s] += from_a * b_tile[i][thread % 4 + 4 * s];
        }
        __syncthreads();
    }
#pragma unroll
    for (int s = 0; s < 16; s++)
        if (row + thread / 4 < n && column + thread % 4 + 4 * s < n)
            c[(row + thread / 4) * n + column + thread % 4 + 4 * s] = sum[s];
}
