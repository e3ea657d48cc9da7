/* loop: the inner loop that the ratio is about: two loads, one
 * multiplication, one addition.
 *
 * One thread for each element of a product of two n x n matrices, in blocks
 * of 16 x 16. Nothing that was loaded is used twice by anyone.
 */
extern "C" __global__ void
multiply(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n)
        return;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
