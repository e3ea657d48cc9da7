/* No fetch ahead: a turn fetches its own tiles into the buffer that the turn before did not use, so
 * a warp is ahead by less than a turn. */
__global__ void multiply(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    __shared__ float tile[2][2][256];
    const int x = threadIdx.x, y = threadIdx.y, i = 16 * y + x;
    const int row = 16 * blockIdx.y + y, column = 16 * blockIdx.x + x;
    float sum = 0, one = 0, two = 0;
    int which = 0;

    for (int k = 0; k < n; k += 16, which ^= 1) {
        one = row < n && k + x < n ? a[row * n + k + x] : 0;
        two = k + y < n && column < n ? b[(k + y) * n + column] : 0;
        tile[which][0][i] = one;
        tile[which][1][i] = two;
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum = fmaf(tile[which][0][16 * y + j], tile[which][1][16 * j + x], sum);
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}
