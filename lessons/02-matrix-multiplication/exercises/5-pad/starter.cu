/* Exercise 2.5: right, and slow on 16 banks.
 *
 * row_sums<<<ceil(n / 64), 64>>>(x, out, n)
 */
extern "C" __global__ void row_sums(const float *x, float *out, int n)
{
    __shared__ float words[64 * 32];
    int tid = threadIdx.x, first = blockIdx.x * 64;
    int mine = n - first < 64 ? n - first : 64; /* rows of this block */

    for (int i = tid; i < 32 * mine; i += 64) {
        int row = i / 32, column = i % 32;
        words[row * 32 + column] = x[32 * first + i];
    }
    __syncthreads();
    if (tid < mine) {
        float sum = 0;
        for (int k = 0; k < 32; k++)
            sum += words[tid * 32 + k];
        out[first + tid] = sum;
    }
}
