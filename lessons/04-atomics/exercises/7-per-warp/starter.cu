/* Exercise 4.7: keep the numbers from 2 on; right, with a ticket for each.
 *
 * keep<<<ceil(n / threads), threads>>>(data, n, out, count)
 */
extern "C" __global__ void keep(const int *data, int n, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? data[i] : 0;
    if (value >= 2)
        out[atomicAdd(count, 1)] = value;
}
