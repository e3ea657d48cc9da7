/* no-barriers: WRONG. atomic-min with the barriers of the article, which
 * has too few: the winner resets the shared minimum while others still
 * compare with it.
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

extern "C" __global__ void
sort(const unsigned *in, int n, unsigned *out)
{
    __shared__ unsigned least;
    unsigned *key = shared, *spare = key + n;
    int tid = threadIdx.x, lists = blockDim.x;
#pragma unroll 1
    for (int i = tid; i < n; i += lists)
        key[i] = in[i];
    sort_column(key, spare, n, lists, tid);
    int at = tid;
    if (tid == 0)
        least = 0xffffffff;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        unsigned mine = at < n ? key[at] : 0xffffffff;
        atomicMin(&least, mine);
        __syncthreads();
        if (mine == least) {
            out[k] = mine;
            at += lists;
            least = 0xffffffff; /* no barrier: others may not have looked yet */
        }
    }
}
