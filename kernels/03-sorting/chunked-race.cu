/* chunked-race: WRONG. chunked without the barrier at the end of a round: the first thread resets
 * the common minimum while others still compare with it.
 */
extern __shared__ unsigned shared[];

/* Column tid is tid, tid + lists, tid + 2 lists ...: sorted by its thread alone, from the lowest bit to the highest. */
__device__ void
sort_column(unsigned *key, unsigned *spare, int n, int lists, int tid)
{
#pragma unroll 1
    for (int bit = 0; bit < 32; bit++) {
        int zeros = tid, ones = tid;
#pragma unroll 1
        for (int i = tid; i < n; i += lists) {
            unsigned x = key[i];
            if (x >> bit & 1) { /* ones go aside */
                spare[ones] = x;
                ones += lists;
            } else {            /* zeros close up */
                key[zeros] = x;
                zeros += lists;
            }
        }
#pragma unroll 1
        for (int i = tid; i < ones; i += lists) { /* and the ones are appended */
            key[zeros] = spare[i];
            zeros += lists;
        }
    }
}

/* A key and the thread that offers it, in one word: the least of these words has the least key, and names one thread
 * alone even where keys are equal. A list that is used up offers more than any key. */
typedef unsigned long long offer;
#define NOTHING (~0ull)
__device__ offer
offer_of(const unsigned *key, int at, int n, int tid)
{
    return at < n ? (offer)key[at] << 32 | tid : NOTHING;
}

extern "C" __global__ void
sort(const unsigned *in, int n, unsigned *out)
{
    __shared__ offer group[32], least;
    unsigned *key = shared, *spare = key + n;
    int tid = threadIdx.x, lists = blockDim.x;
#pragma unroll 1
    for (int i = tid; i < n; i += lists)
        key[i] = in[i];
    sort_column(key, spare, n, lists, tid);
    int at = tid;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        if (tid % 8 == 0)
            group[tid / 8] = NOTHING;
        if (tid == 0)
            least = NOTHING;
        __syncthreads();
        offer mine = offer_of(key, at, n, tid);
        atomicMin(&group[tid / 8], mine);
        __syncthreads();
        if (tid % 8 == 0)
            atomicMin(&least, group[tid / 8]);
        __syncthreads();
        if (mine == least) {
            out[k] = key[at];
            at += lists;
        } /* no barrier: others may not have looked at `least` yet */
    }
}
