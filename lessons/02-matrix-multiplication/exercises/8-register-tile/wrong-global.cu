extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * 64 + threadIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    float sum[4][4] = {};
    for (int k = 0; k < n; k++) {
        float from_a[4], from_b[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            from_a[r] = row + 16 * r < n ? a[(row + 16 * r) * n + k] : 0;
            from_b[r] = column + 16 * r < n ? b[k * n + column + 16 * r] : 0;
        }
#pragma unroll
        for (int r = 0; r < 4; r++)
#pragma unroll
            for (int s = 0; s < 4; s++)
                sum[r][s] += from_a[r] * from_b[s];
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int s = 0; s < 4; s++)
            if (row + 16 * r < n && column + 16 * s < n)
                c[(row + 16 * r) * n + column + 16 * s] = sum[r][s];
}
