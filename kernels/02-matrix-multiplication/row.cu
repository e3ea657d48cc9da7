/* row: a block computes one row of the product, and keeps that row of A.
 *
 * All elements of a row of C need the same row of A. The threads load it
 * once, together, into shared memory: n loads for the block instead of n
 * per element. B is read as before. n^3 + n^2 loads in all; the price
 * is 4n bytes of shared memory per block.
 */
extern __shared__ float a_row[];

extern "C" __global__ void
multiply(const float *a, const float *b, float *c, int n, int pitch)
{
    int row = blockIdx.x;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        a_row[k] = a[row * pitch + k];
    __syncthreads();

#pragma unroll 1
    for (int column = threadIdx.x; column < n; column += blockDim.x) {
        float sum = 0, lost = 0;
#pragma unroll 1
        for (int k = 0; k < n; k++) {
            float term = a_row[k] * b[k * pitch + column] - lost;
            float next = sum + term;
            lost = (next - sum) - term;
            sum = next;
        }
        c[row * pitch + column] = sum;
    }
}
