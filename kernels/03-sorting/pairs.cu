/* pairs: look-back for keys that have a value each.
 *
 * A value goes where its key goes. Once a tile's keys are in order in shared
 * memory, each thread knows where the words that it writes go to, and keeps
 * that. Then the values take the keys' places in shared memory, and go the
 * same ways. So ranks are found once, and a tile needs no more shared memory.
 *
 * Values are read as soon as the keys have left their registers, before the
 * block looks back: they arrive while it waits. A thread then holds a value,
 * a rank and a place for each of its 32 pairs. So it may have 128 registers,
 * and a multiprocessor two blocks, not three.
 *
 * Equal keys stay in the order in which they came. The passes need that
 * anyway; with values it can be seen.
 */
#define COUNTERS 512 /* threads of a block that counts; the others have: */
#define THREADS 256
#define WARPS (THREADS / 32)
#define EACH 32
#define TILE (THREADS * EACH)
#define DIGITS 256
#define ALONE (1u << 30)
#define WHOLE (2u << 30)
#define COUNT (ALONE - 1)

static __device__ void
count(unsigned (*many)[DIGITS], unsigned key)
{
#pragma unroll
    for (int p = 0; p < 4; p++)
        atomicAdd(&many[p][key >> 8 * p & (DIGITS - 1)], 1);
}

/* counts[p * 256 + d]: how many keys have digit d in pass p. It also clears what the passes tell each other. A load
 * brings four keys. Two copies of the counts, for warps with even and odd numbers: equal digits get less in each
 * other's way. */
extern "C" __global__ void
count_digits(const unsigned *in, int n, unsigned *counts, unsigned *told, int words, unsigned *tickets)
{
    __shared__ unsigned many[2][4][DIGITS];
    int t = threadIdx.x, all = gridDim.x * COUNTERS, me = blockIdx.x * COUNTERS + t;
    for (int i = t; i < 2 * 4 * DIGITS; i += COUNTERS)
        (&many[0][0][0])[i] = 0;
    for (int i = me; i < words; i += all)
        told[i] = 0;
    if (me < 4)
        tickets[me] = 0;
    __syncthreads();
    unsigned(*mine)[DIGITS] = many[t / 32 % 2];
    for (int i = me; i < n / 4; i += all) {
        uint4 keys = ((const uint4 *)in)[i];
        count(mine, keys.x);
        count(mine, keys.y);
        count(mine, keys.z);
        count(mine, keys.w);
    }
    if (me < n % 4)
        count(mine, in[n / 4 * 4 + me]);
    __syncthreads();
    for (int i = t; i < 4 * DIGITS; i += COUNTERS) {
        unsigned sum = (&many[0][0][0])[i] + (&many[1][0][0])[i];
        if (sum)
            atomicAdd(&counts[i], sum);
    }
}

/* The sum of v over the threads before this one. Called by a whole block. */
static __device__ unsigned
sum_before(unsigned v, unsigned *part)
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
#pragma unroll
    for (int w = 0; w < WARPS; w++)
        before += w < warp ? part[w] : 0;
    __syncthreads();
    return before;
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
place(const unsigned *in, unsigned *out, const unsigned *values, unsigned *values_out, int n, int shift,
      const unsigned *counts, unsigned *told, unsigned *tickets)
{
    __shared__ unsigned words[TILE], to[DIGITS], part[WARPS], ticket;
    unsigned(*many)[DIGITS] = (unsigned(*)[DIGITS])words;                    /* of a warp; later its places */
    unsigned(*same)[DIGITS] = (unsigned(*)[DIGITS])(words + WARPS * DIGITS); /* lanes with that digit */
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t == 0)
        ticket = atomicAdd(&tickets[shift / 8], 1);
    for (int i = t; i < 2 * WARPS * DIGITS; i += THREADS)
        words[i] = 0;
    __syncthreads();

    int tile = ticket, first = tile * TILE, left = n - first;
    unsigned key[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = warp * 32 * EACH + k * 32 + lane;
        key[k] = i < left ? in[first + i] : 0xffffffff; /* keys past the end come last */
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        atomicAdd(&many[warp][key[k] >> shift & (DIGITS - 1)], 1);
    __syncthreads();

    /* Thread t looks after digit t. */
    volatile unsigned *mine = told + (shift / 8 * gridDim.x + tile) * DIGITS + t;
    unsigned here = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        unsigned its = many[w][t];
        many[w][t] = here;
        here += its;
    }
    *mine = (tile == 0 ? WHOLE : ALONE) | here;
    unsigned begin = sum_before(here, part);
    unsigned base = sum_before(counts[shift / 8 * DIGITS + t], part);
#pragma unroll
    for (int w = 0; w < WARPS; w++)
        many[w][t] += begin;
    __syncthreads();

    /* The place of each key in the tile: lanes with the same digit take theirs in order. */
    unsigned short rank[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        unsigned digit = key[k] >> shift & (DIGITS - 1);
        atomicOr(&same[warp][digit], 1u << lane);
        __syncwarp();
        unsigned peers = same[warp][digit], from = many[warp][digit];
        unsigned below = __popc(peers & ((1u << lane) - 1));
        rank[k] = from + below;
        __syncwarp();
        if (below == 0) {
            many[warp][digit] = from + __popc(peers);
            same[warp][digit] = 0;
        }
        __syncwarp();
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++)
        words[rank[k]] = key[k];
    unsigned value[EACH], place[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = warp * 32 * EACH + k * 32 + lane;
        value[k] = i < left ? values[first + i] : 0;
    }

    unsigned before = 0;
    if (tile > 0) {
        volatile unsigned *its = mine - DIGITS;
        unsigned word;
        do {
            do
                word = *its;
            while (word < ALONE);
            before += word & COUNT;
            its -= DIGITS;
        } while (word < WHOLE);
        *mine = WHOLE | (before + here);
    }
    to[t] = base + before - begin;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = k * THREADS + t;
        place[k] = to[words[i] >> shift & (DIGITS - 1)] + i;
        if (i < left)
            out[place[k]] = words[i];
    }
    __syncthreads(); /* the keys are on their way: the values take their places */
#pragma unroll
    for (int k = 0; k < EACH; k++)
        words[rank[k]] = value[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = k * THREADS + t;
        if (i < left)
            values_out[place[k]] = words[i];
    }
}
