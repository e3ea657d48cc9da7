extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float of_a[16], of_b[16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = 2 * (blockIdx.y * 8 + y), column = 2 * (blockIdx.x * 8 + x);
    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
    bool mine = row < n && column < n;
    for (int k = 0; k < n; k++) {
        if (x < 2)
            of_a[2 * y + x] = row + x < n ? a[(row + x) * n + k] : 0;
        if (y < 2)
            of_b[2 * x + y] = column + y < n ? b[k * n + column + y] : 0;
        __syncthreads();
        c00 += of_a[2 * y] * of_b[2 * x];
        c01 += of_a[2 * y] * of_b[2 * x + 1];
        c10 += of_a[2 * y + 1] * of_b[2 * x];
        c11 += of_a[2 * y + 1] * of_b[2 * x + 1];
        __syncthreads();
    }
    if (!mine)
        return;
    c[row * n + column] = c00;
    c[row * n + column + 1] = c01;
    c[(row + 1) * n + column] = c10;
    c[(row + 1) * n + column + 1] = c11;
}
