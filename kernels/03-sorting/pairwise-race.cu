/* pairwise-race: WRONG. pairwise without the barrier at the end of a round: the first thread offers
 * its next key in best[0] while others still compare their own with it.
 */
extern __shared__ unsigned long long best[]; /* an offer for each thread, then the keys */

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
    unsigned *key = (unsigned *)(best + blockDim.x), *spare = key + n;
    int tid = threadIdx.x, lists = blockDim.x;
#pragma unroll 1
    for (int i = tid; i < n; i += lists)
        key[i] = in[i];
    sort_column(key, spare, n, lists, tid);
    int at = tid;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        offer mine = offer_of(key, at, n, tid);
        best[tid] = mine;
        __syncthreads();
#pragma unroll 1
        for (int active = lists; active > 1;) {
            int half = (active + 1) / 2; /* of an odd number, the one in the middle waits */
            if (tid + half < active && best[tid + half] < best[tid])
                best[tid] = best[tid + half];
            __syncthreads();
            active = half;
        }
        if (mine == best[0]) {
            out[k] = key[at];
            at += lists;
        } /* no barrier: others may not have looked at best[0] yet */
    }
}
