/* One lane takes the tickets for those of its warp that keep something. */
extern "C" __global__ void keep(const int *data, int n, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int x = i < n ? data[i] : 0;
    unsigned who = __ballot_sync(0xffffffffu, x >= 2);
    if (who == 0)
        return;
    int leader = __ffs(who) - 1, base = 0;
    if (lane == leader)
        base = atomicAdd(count, __popc(who));
    base = __shfl_sync(0xffffffffu, base, leader);
    if (x >= 2)
        out[base + __popc(who & ((1u << lane) - 1u))] = x;
}
