extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int row = 2 * (blockIdx.y * 8 + threadIdx.y);
    int column = 2 * (blockIdx.x * 8 + threadIdx.x);
    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
    if (row >= n || column >= n)
        return;
    for (int k = 0; k < n; k++) {
        float a0 = atomicAdd((float *)&a[row * n + k], 0), a1 = atomicAdd((float *)&a[(row + 1) * n + k], 0);
        float b0 = b[k * n + column], b1 = b[k * n + column + 1];
        c00 += a0 * b0;
        c01 += a0 * b1;
        c10 += a1 * b0;
        c11 += a1 * b1;
    }
    c[row * n + column] = c00;
    c[row * n + column + 1] = c01;
    c[(row + 1) * n + column] = c10;
    c[(row + 1) * n + column + 1] = c11;
}
