/* Exercise 4.1: how often does each number occur?
 *
 * histogram<<<ceil(n / threads), threads>>>(data, n, count)
 */
extern "C" __global__ void
histogram(const int *data, int n, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int bin = data[i];
    count[bin]++;
}
