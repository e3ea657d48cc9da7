/* naive: one thread for each element of the product.
 *
 * The thread walks along a row of A and down a column of B: two loads for
 * one multiplication and one addition, so 2n^3 loads for n^2 elements.
 * Rows and columns are read again and again by different threads, and
 * nothing is kept. The sum is a float, which rounds n times.
 */
extern "C" __global__ void
multiply(const float *a, const float *b, float *c, int n)
{
    long long element = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int row = (int)(element / n), column = (int)(element % n);
    if (row >= n)
        return;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
