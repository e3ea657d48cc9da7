/* single: one thread merges.
 *
 * It looks at the head of every list, takes the least, and moves that
 * list's head on. The other threads have nothing to do. It asks for eight
 * heads, then for eight keys, and then compares: so it waits once for
 * eight reads of shared memory, not after each.
 */
#define GROUP 8

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
#pragma unroll 1
    for (int i = tid; i < GROUP; i += lists) /* empty lists, to fill up the last group */
        head[lists + i] = n;
    __syncthreads();
    if (tid > 0)
        return;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        unsigned long long least = ~0ull; /* key and list in one number, as in atomic-min */
#pragma unroll 1
        for (int l = 0; l < lists; l += GROUP) {
            int at[GROUP];
            unsigned long long x[GROUP];
#pragma unroll
            for (int i = 0; i < GROUP; i++)
                at[i] = head[l + i];
#pragma unroll
            for (int i = 0; i < GROUP; i++)
                x[i] = key[min(at[i], n - 1)];
            asm volatile("" ::: "memory"); /* all eight are asked for before the first is used */
#pragma unroll
            for (int i = 0; i < GROUP; i++)
                x[i] = at[i] < n ? x[i] << 32 | (l + i) : ~0ull; /* at >= n: the list is used up */
#pragma unroll
            for (int half = GROUP / 2; half > 0; half /= 2)
#pragma unroll
                for (int i = 0; i < half; i++)
                    x[i] = min(x[i], x[i + half]);
            least = min(least, x[0]);
        }
        out[k] = least >> 32;
        head[(unsigned)least] += lists;
    }
}
