/* bitonic: no lists, and no thread that waits for its turn.
 *
 * A fixed pattern of "put the lesser here and the greater there". It
 * makes runs of 2, alternately rising and falling, from them runs of 4,
 * of 8, until one run is left. Which keys are compared does not depend on
 * the keys, so all threads work in every stage. The array is filled up
 * to a power of two with the greatest key; those sink to the end, and
 * only what was there before is written back.
 */
extern __shared__ unsigned key[];

extern "C" __global__ void
sort(const unsigned *in, int n, int size, unsigned *out)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        key[i] = i < n ? in[i] : 0xffffffff;
    __syncthreads();
#pragma unroll 1
    for (int run = 2; run <= size; run *= 2)
#pragma unroll 1
        for (int apart = run / 2; apart > 0; apart /= 2) {
#pragma unroll 1
            for (int p = threadIdx.x; p < size / 2; p += blockDim.x) {
                int a = 2 * p - (p & (apart - 1)), b = a + apart;
                unsigned x = key[a], y = key[b];
                bool rising = (a & run) == 0;
                if ((x > y) == rising) {
                    key[a] = y;
                    key[b] = x;
                }
            }
            __syncthreads();
        }
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = key[i];
}
