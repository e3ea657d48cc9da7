/* columns: each thread sorts a column of its own.
 *
 * The keys lie in shared memory, and a second array of the same size
 * beside them. A pass puts the keys with a 0 in one bit before those
 * with a 1, and keeps their order otherwise; after a pass for each bit
 * the column is sorted. No thread touches another's column, so nobody
 * has to wait.
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
sort_columns(const unsigned *in, int n, unsigned *out)
{
    unsigned *key = shared, *spare = key + n;
    int tid = threadIdx.x, lists = blockDim.x;
#pragma unroll 1
    for (int i = tid; i < n; i += lists)
        key[i] = in[i];
    sort_column(key, spare, n, lists, tid);
#pragma unroll 1
    for (int i = tid; i < n; i += lists)
        out[i] = key[i];
}
