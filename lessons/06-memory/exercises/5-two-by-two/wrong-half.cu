extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int row = 2 * (blockIdx.y * 8 + threadIdx.y);
    int column = 2 * (blockIdx.x * 8 + threadIdx.x);
    if (row >= n || column >= n)
        return;
    for (int r = row; r < row + 2; r++) {
        float c0 = 0, c1 = 0;
        for (int k = 0; k < n; k++) {
            float one = a[r * n + k];
            c0 += one * b[k * n + column];
            c1 += one * b[k * n + column + 1];
        }
        c[r * n + column] = c0;
        c[r * n + column + 1] = c1;
    }
}
