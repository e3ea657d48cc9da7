/* latency: one thread reads, and needs the value to know where to read next.
 *
 * All numbers in memory are 0, but neither the compiler nor the card knows.
 */
extern "C" __global__ void
chase(const int *zeros, int mask, int rounds, int *last)
{
    int i = 0;
#pragma unroll 1
    for (int k = 0; k < rounds; k++)
        i = (i + zeros[i] + 64) & mask;
    *last = i;
}
