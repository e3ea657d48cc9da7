/* Exercise 2.1: a product of matrices that fetches too much.
 *
 * multiply<<<(ceil(n / 16), ceil(n / 16)), (16, 16)>>>(a, b, c, n)
 */
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
