/* stream: all threads of the card read, each a number at a time.
 *
 * ptx: -DEXTRA=0 as stream.ptx
 * ptx: -DEXTRA=7 as stream-16.ptx
 * ptx: -DEXTRA=11 as stream-20.ptx
 *
 * EXTRA numbers are read before the loop and needed after it: so many more
 * registers does a thread hold all the while.
 */
extern "C" __global__ void
add(const int *x, int n, int *sums)
{
    int step = gridDim.x * blockDim.x, tid = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
#if EXTRA
    int held[EXTRA];
#pragma unroll
    for (int k = 0; k < EXTRA; k++) {
        held[k] = x[k];
        asm volatile("" : "+r"(held[k])); /* the compiler must not read it later instead */
    }
#endif
#pragma unroll 1
    for (int i = tid; i < n; i += step)
        sum += x[i];
#if EXTRA
#pragma unroll
    for (int k = 0; k < EXTRA; k++)
        asm volatile("" : : "r"(held[k])); /* needed here, says this, and costs nothing */
#endif
    sums[tid] = sum;
}
