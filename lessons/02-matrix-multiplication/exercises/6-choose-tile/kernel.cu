template <int TILE> __device__ void
multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;

    for (int k = 0; k < n; k += TILE) {
        a_tile[y][x] = a[row * n + k + x];
        b_tile[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void
multiply_4(const float *a, const float *b, float *c, int n)
{
    multiply<4>(a, b, c, n);
}

extern "C" __global__ void
multiply_8(const float *a, const float *b, float *c, int n)
{
    multiply<8>(a, b, c, n);
}

extern "C" __global__ void
multiply_16(const float *a, const float *b, float *c, int n)
{
    multiply<16>(a, b, c, n);
}

extern "C" __global__ void
multiply_32(const float *a, const float *b, float *c, int n)
{
    multiply<32>(a, b, c, n);
}
