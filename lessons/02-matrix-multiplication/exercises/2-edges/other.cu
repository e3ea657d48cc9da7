/* Indices are held inside the matrix, and what is outside is multiplied by 0. */
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float p[16][16], q[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    bool inside = row < n && column < n;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        p[y][x] = 0;
        q[y][x] = 0;
        if (row < n && k + x < n)
            p[y][x] = a[row * n + k + x];
        if (column < n && k + y < n)
            q[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += p[y][i] * q[i][x];
        __syncthreads();
    }
    if (inside)
        c[row * n + column] = sum;
}
