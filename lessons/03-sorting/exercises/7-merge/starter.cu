/* Exercise 3.7: two runs become one, one thread a key.
 *
 * merge<<<ceil(n / threads), threads>>>(in, out, n, run)
 */
extern "C" __global__ void merge(const unsigned *in, unsigned *out, int n, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int to = i; /* yours: where does key i go? */
    (void)run;
    out[to] = in[i];
}
