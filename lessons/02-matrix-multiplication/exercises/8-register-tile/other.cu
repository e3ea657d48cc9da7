/* Four neighbours each way, moved by vectors of four; the tile of A is turned over. */
#define W 64
__device__ static float at(const float *m, int row, int column, int n)
{
    return row < n && column < n ? m[row * n + column] : 0.0f;
}

extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float4 p[8][W / 4 + 1], q[8][W / 4];
    const int tid = threadIdx.y * 16 + threadIdx.x;
    const int top = blockIdx.y * W, left = blockIdx.x * W;
    float s[16];
    for (int j = 0; j < 16; j++)
        s[j] = 0;
    for (int k = 0; k < n; k += 8) {
        for (int half = 0; half < 2; half++) {
            const int t = tid + 256 * half;
            ((float *)p[t % 8])[t / 8] = at(a, top + t / 8, k + t % 8, n);
            ((float *)q[t / W])[t % W] = at(b, k + t / W, left + t % W, n);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const float4 u = p[i][threadIdx.y], v = q[i][threadIdx.x];
            const float down[4] = {u.x, u.y, u.z, u.w}, across[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int j = 0; j < 16; j++)
                s[j] += down[j / 4] * across[j % 4];
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 16; j++) {
        const int row = top + 4 * threadIdx.y + j / 4, column = left + 4 * threadIdx.x + j % 4;
        if (row < n && column < n)
            c[row * n + column] = s[j];
    }
}
