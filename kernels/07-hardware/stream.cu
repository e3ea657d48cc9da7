/* stream: all threads of the card read, one number at a time.
 *
 * ptx: -DEXTRA=0 as stream.ptx
 * ptx: -DEXTRA=9 as stream-16.ptx
 * ptx: -DEXTRA=13 as stream-20.ptx
 *
 * EXTRA numbers are read before the loop and needed after it: a thread holds
 * that many more registers throughout. (volatile: each really is read.)
 */
extern "C" __global__ void
add(const int *x, int n, int *sums)
{
    int step = gridDim.x * blockDim.x, tid = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
#if EXTRA
    int held[EXTRA];
#pragma unroll
    for (int k = 0; k < EXTRA; k++)
        held[k] = ((const volatile int *)x)[threadIdx.x % 256];
#endif
#pragma unroll 1
    for (int i = tid; i < n; i += step)
        sum += x[i];
#if EXTRA
#pragma unroll
    for (int k = 0; k < EXTRA; k++)
        sum += held[k] & sum >> 31; /* nothing, for sums from 0 on; but the compiler cannot know */
#endif
    sums[tid] = sum;
}
