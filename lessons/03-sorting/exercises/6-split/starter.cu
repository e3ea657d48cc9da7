/* Exercise 3.6: keys with bit 0 first, then those with bit 1, each in their old order.
 *
 * split<<<1, threads>>>(in, out, n, bit)
 */
extern "C" __global__ void split(const unsigned *in, unsigned *out, int n, int bit)
{
    int tid = threadIdx.x;
    unsigned key = tid < n ? in[tid] : 0;
    int to = tid; /* yours: where does this key go? */

    (void)bit;
    if (tid < n)
        out[to] = key;
}
