/* hold: a thread keeps 8, 16, 32 ... numbers in registers at once.
 *
 * All are loaded before a barrier and added after it, so none can be given
 * up in between. More registers per thread, fewer threads per
 * multiprocessor. The answer is the sum of all numbers, whatever the split.
 */
template <int LIVE>
static __device__ void
add(const int *in, int *out, int threads)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    int held[LIVE];
#pragma unroll
    for (int k = 0; k < LIVE; k++)
        held[k] = in[k * threads + at];
    __syncthreads();
    int sum = 0;
#pragma unroll
    for (int k = 0; k < LIVE; k++)
        sum += held[k];
    out[at] = sum;
}

#define ENTRY(LIVE)                                                                \
    extern "C" __global__ void hold##LIVE(const int *in, int *out, int threads)    \
    {                                                                              \
        add<LIVE>(in, out, threads);                                               \
    }
ENTRY(8)
ENTRY(16)
ENTRY(32)
ENTRY(64)
ENTRY(96)
