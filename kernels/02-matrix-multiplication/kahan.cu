/* kahan: the same threads and the same loads; the sum keeps what rounding
 * lost.
 *
 * What an addition could not hold is known exactly: (next - sum) - term.
 * It is subtracted from the next product. Three more additions per turn,
 * and no more loads: where the loads are the limit they cost nothing.
 */
extern "C" __global__ void
multiply(const float *a, const float *b, float *c, int n)
{
    long long element = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int row = (int)(element / n), column = (int)(element % n);
    if (row >= n)
        return;
    float sum = 0, lost = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        float term = a[row * n + k] * b[k * n + column] - lost;
        float next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    c[row * n + column] = sum;
}
