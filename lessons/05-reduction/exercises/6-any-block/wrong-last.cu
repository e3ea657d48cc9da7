/* Exercise 5.6: each block leaves the sum of its numbers. Right with a power of
 * two of threads only.
 *
 * fold<<<ceil(n / threads), threads, 4 * threads>>>(x, n, sums)
 */
extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    extern __shared__ int part[];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    part[tid] = i < n ? x[i] : 0;
    __syncthreads();
    if (tid == 0 && blockDim.x % 2 && blockDim.x > 1)
        part[0] += part[blockDim.x - 1];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half)
            part[tid] += part[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}
