extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int row = 2 * (blockIdx.y * 8 + threadIdx.y);
    int column = 2 * (blockIdx.x * 8 + threadIdx.x);
    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
    for (int k = 0; k < n; k++) {
        float a0 = a[row * n + k], a1 = a[(row + 1) * n + k];
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
