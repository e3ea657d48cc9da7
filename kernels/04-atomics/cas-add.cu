/* cas-add: an atomic addition made from compare-and-swap.
 *
 * "If the word still holds what I have seen, put my sum there." When it
 * does not, somebody was faster: the answer says what it holds now, and
 * the thread tries again with that.
 */
__device__ int
add_by_cas(int *to, int x)
{
    int seen = 0, held; /* a guess will do: a wrong one is corrected */
    while ((held = atomicCAS(to, seen, seen + x)) != seen)
        seen = held;
    return seen;
}

extern "C" __global__ void
add_up(const int *data, int n, int *sum)
{
    int step = gridDim.x * blockDim.x;
    int mine = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        mine += data[i];
    add_by_cas(&sum[0], mine);
}
