/* Exercise 5.7: the sum of n numbers, one atomic addition for each warp.
 *
 * add_up<<<ceil(n / 128), 128>>>(x, n, out)
 */
extern "C" __global__ void add_up(const int *x, int n, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}
