/* transfer: one thread looks at the last number that was copied. The copy
 * is what matters here.
 */
extern "C" __global__ void
last_of(const int *x, int n, int *out)
{
    *out = x[n - 1];
}
