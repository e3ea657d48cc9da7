/* No padding: each thread begins with another column. */
__global__ void row_sums(const float *__restrict__ x, float *__restrict__ out, int n)
{
    __shared__ float words[64][32];
    const unsigned first = blockIdx.x * 64, rows = min(64u, n - first);
    if (first >= (unsigned)n)
        return;
    for (unsigned i = threadIdx.x; i < 32 * rows; i += 64)
        words[i / 32][i % 32] = x[32 * first + i];
    __syncthreads();
    if (threadIdx.x >= rows)
        return;
    float sum = 0;
#pragma unroll 4
    for (unsigned k = 0; k < 32; k++)
        sum += words[threadIdx.x][(threadIdx.x + k) % 32];
    out[first + threadIdx.x] = sum;
}
