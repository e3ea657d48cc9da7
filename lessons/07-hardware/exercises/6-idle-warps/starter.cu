/* Exercise 7.6: each block leaves the sum of its numbers.
 *
 * fold<<<ceil(n / 256), 256>>>(x, n, sums)
 */
extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    __shared__ int part[256];
    int tid = threadIdx.x, i = 256 * blockIdx.x + tid;
    part[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int stride = 1; stride < 256; stride *= 2) {
        if (tid % (2 * stride) == 0)
            part[tid] += part[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}
