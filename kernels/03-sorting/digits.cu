/* digits: a radix sort by many blocks, eight bits per pass.
 *
 * Four passes, from the lowest digit to the highest, three launches each.
 * count: how often each of the 256 digits occurs in each tile of 4096 keys.
 * add_up: for each digit, how many there are in the tiles before.
 * place: each key goes where those numbers say: after all smaller digits,
 * after the same digit of earlier tiles, and after the same digit of
 * earlier keys of its own tile. Equal digits keep their order, which is
 * what makes the next pass right.
 *
 * A warp finds out by ballots which of its lanes hold the same digit: eight
 * ballots, one per bit. A tile is put in order in shared memory first, so
 * that the block then writes runs of neighbouring words.
 */
#define THREADS 256
#define WARPS (THREADS / 32)
#define EACH 16
#define TILE (THREADS * EACH)
#define DIGITS 256

extern "C" __global__ void
count(const unsigned *in, int n, int shift, unsigned *counts)
{
    __shared__ unsigned many[DIGITS];
    int t = threadIdx.x, first = blockIdx.x * TILE;
    many[t] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = first + k * THREADS + t;
        if (i < n)
            atomicAdd(&many[in[i] >> shift & (DIGITS - 1)], 1);
    }
    __syncthreads();
    counts[t * gridDim.x + blockIdx.x] = many[t];
}

/* The sum of v over the threads before this one; *all: over all of them. Called by a whole block of 256. */
static __device__ unsigned
sum_before(unsigned v, unsigned *part, unsigned *all)
{
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned sum = v;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        unsigned below = __shfl_up_sync(0xffffffff, sum, offset);
        sum += lane >= offset ? below : 0;
    }
    if (lane == 31)
        part[warp] = sum;
    __syncthreads();
    unsigned before = sum - v;
    *all = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        before += w < warp ? part[w] : 0;
        *all += part[w];
    }
    __syncthreads();
    return before;
}

/* A block for each digit: its counts become sums over the tiles before; totals gets the sum over all of them. */
extern "C" __global__ void
add_up(unsigned *counts, int tiles, unsigned *totals)
{
    __shared__ unsigned part[WARPS];
    unsigned *row = counts + blockIdx.x * tiles, sum = 0, all;
#pragma unroll 1
    for (int first = 0; first < tiles; first += THREADS) {
        int i = first + threadIdx.x;
        unsigned before = sum_before(i < tiles ? row[i] : 0, part, &all);
        if (i < tiles)
            row[i] = sum + before;
        sum += all;
    }
    if (threadIdx.x == 0)
        totals[blockIdx.x] = sum;
}

extern "C" __global__ void
place(const unsigned *in, unsigned *out, int n, int shift, const unsigned *counts, const unsigned *totals)
{
    __shared__ unsigned key[TILE], part[WARPS], many[WARPS][DIGITS], to[DIGITS];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, first = blockIdx.x * TILE;
#pragma unroll
    for (int w = 0; w < WARPS; w++)
        many[w][t] = 0;
    __syncthreads();

    /* A warp has 512 contiguous keys: how many of the same digit come before each of them? */
    unsigned mine[EACH], rank[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = first + warp * 32 * EACH + k * 32 + lane;
        mine[k] = i < n ? in[i] : 0xffffffff; /* keys past the end come last */
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        unsigned digit = mine[k] >> shift & (DIGITS - 1), same = 0xffffffff;
#pragma unroll
        for (int b = 1; b < DIGITS; b *= 2) {
            unsigned set = __ballot_sync(0xffffffff, (digit & b) != 0);
            same &= digit & b ? set : ~set;
        }
        unsigned below = __popc(same & ((1u << lane) - 1));
        rank[k] = many[warp][digit] + below;
        __syncwarp();
        if (below == 0)
            many[warp][digit] += __popc(same);
        __syncwarp();
    }
    __syncthreads();

    /* Thread t looks after digit t: where it begins in this tile, and where in the result. */
    unsigned all = 0, ignored;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        unsigned here = many[w][t];
        many[w][t] = all;
        all += here;
    }
    unsigned begin = sum_before(all, part, &ignored);
    unsigned base = sum_before(totals[t], part, &ignored);
#pragma unroll
    for (int w = 0; w < WARPS; w++)
        many[w][t] += begin;
    to[t] = base + counts[t * gridDim.x + blockIdx.x] - begin;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < EACH; k++)
        key[many[warp][mine[k] >> shift & (DIGITS - 1)] + rank[k]] = mine[k];
    __syncthreads();
    int left = n - first;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = k * THREADS + t;
        if (i < left)
            out[to[key[i] >> shift & (DIGITS - 1)] + i] = key[i];
    }
}
