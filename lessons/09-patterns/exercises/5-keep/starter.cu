/* Exercise 9.5: the numbers that are not negative, in their order.
 *
 * count<<<ceil(n / threads), threads>>>(x, n, counts)
 * keep<<<ceil(n / threads), threads>>>(x, n, counts, out, many)
 */
extern "C" __global__ void count(const int *x, int n, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int all = __syncthreads_count(i < n && x[i] >= 0);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = all;
}

extern "C" __global__ void keep(const int *x, int n, const int *counts, int *out, int *many)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] >= 0)
        out[atomicAdd(many, 1)] = x[i];
}
