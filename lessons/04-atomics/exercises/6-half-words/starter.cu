/* Exercise 4.6: how often is each d in the data? Counters of 16 bits.
 *
 * count<<<ceil(n / threads), threads>>>(data, n, counters)
 */
extern "C" __global__ void count(const int *data, int n, unsigned short *counters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int d = data[i];
    counters[d] = counters[d] + 1; /* and this must become atomic */
}
