/* single: one thread merges.
 *
 * It looks at the head of every list, takes the least, and moves that
 * list's head on. The other threads have nothing to do.
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
    unsigned *key = shared, *spare = key + n;
    int tid = threadIdx.x, lists = blockDim.x;
#pragma unroll 1
    for (int i = tid; i < n; i += lists)
        key[i] = in[i];
    sort_column(key, spare, n, lists, tid);
    int *head = (int *)(spare + n); /* where each list has got to */
    head[tid] = tid;
    __syncthreads();
    if (tid > 0)
        return;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        int best = -1;
        unsigned least = 0;
#pragma unroll 1
        for (int l = 0; l < lists; l++) {
            int at = head[l];
            if (at < n && (best < 0 || key[at] < least)) { /* at >= n: the list is used up */
                best = l;
                least = key[at];
            }
        }
        out[k] = least;
        head[best] += lists;
    }
}
