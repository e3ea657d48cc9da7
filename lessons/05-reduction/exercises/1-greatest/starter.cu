/* Exercise 5.1: best[b] becomes the greatest number of block b.
 *
 * greatest<<<ceil(n / threads), threads, 4 * threads>>>(x, n, best)
 */
extern __shared__ int part[];

extern "C" __global__ void greatest(const int *x, int n, int *best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        best[blockIdx.x] = x[i];
}
