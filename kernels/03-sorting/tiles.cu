/* tiles: many blocks. Each sorts a tile of 1024 keys in shared memory,
 * then pairs of sorted runs are merged, launch after launch, until one
 * run is left.
 *
 * The tile is sorted by the network of the step before.
 */
#define TILE 1024

extern "C" __global__ void
sort_tiles(const unsigned *in, int n, unsigned *out)
{
    __shared__ unsigned key[TILE];
    int start = blockIdx.x * TILE, left = n - start;
#pragma unroll 1
    for (int i = threadIdx.x; i < TILE; i += blockDim.x)
        key[i] = i < left ? in[start + i] : 0xffffffff;
    __syncthreads();
#pragma unroll 1
    for (int run = 2; run <= TILE; run *= 2)
#pragma unroll 1
        for (int apart = run / 2; apart > 0; apart /= 2) {
#pragma unroll 1
            for (int p = threadIdx.x; p < TILE / 2; p += blockDim.x) {
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
    for (int i = threadIdx.x; i < TILE; i += blockDim.x)
        if (i < left)
            out[start + i] = key[i];
}

/* Each thread writes 8 keys of the result. The first of them stands in the merged run at `diagonal`: among the keys
 * before it are some of run a and the rest of run b. How many of a is found by halving, without merging anything. */
#define EACH 8

extern "C" __global__ void
merge_runs(const unsigned *in, unsigned *out, int n, int run)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    if (first >= n)
        return;
    int start = first / (2 * run) * (2 * run);
    int a_end = min(start + run, n), b_end = min(start + 2 * run, n);
    int as = a_end - start, bs = b_end - a_end, diagonal = first - start;

    int low = max(0, diagonal - bs), high = min(diagonal, as);
#pragma unroll 1
    while (low < high) {
        int middle = (low + high) / 2;
        if (in[start + middle] <= in[a_end + diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }

    int a = start + low, b = a_end + diagonal - low;
#pragma unroll 1
    for (int k = first; k < first + EACH && k < b_end; k++) {
        bool from_a = b >= b_end || (a < a_end && in[a] <= in[b]);
        out[k] = from_a ? in[a++] : in[b++];
    }
}
