/* histogram-matched: lanes with the same key agree first, and one of them adds for all.
 *
 * __match_any_sync tells a lane which lanes hold the key that it holds. The
 * first of them adds their number. Compute 7.0 and later have it.
 */
extern "C" __global__ void
histogram(const unsigned *key, int n, unsigned *count)
{
    int lane = threadIdx.x % 32;
    int step = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x - lane; /* the warp's: all lanes stay together */
#pragma unroll 1
    for (; first < n; first += step) {
        int i = first + lane;
        unsigned k = i < n ? key[i] : 0xffffffff; /* past the end: no key */
        unsigned same = __match_any_sync(0xffffffff, k);
        if (i < n && lane == __ffs(same) - 1)
            atomicAdd(&count[k], __popc(same));
    }
}
