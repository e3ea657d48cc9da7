extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float p[16][16], q[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    if (blockIdx.x || blockIdx.y)
        return;
    for (int top = 0; top < n; top += 16)
        for (int left = 0; left < n; left += 16) {
            float sum = 0;
            for (int k = 0; k < n; k += 16) {
                p[y][x] = top + y < n && k + x < n ? a[(top + y) * n + k + x] : 0;
                q[y][x] = k + y < n && left + x < n ? b[(k + y) * n + left + x] : 0;
                __syncthreads();
                for (int i = 0; i < 16; i++)
                    sum += p[y][i] * q[i][x];
                __syncthreads();
            }
            if (top + y < n && left + x < n)
                c[(top + y) * n + left + x] = sum;
        }
}
