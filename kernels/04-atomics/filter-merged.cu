/* filter-merged: one lane takes tickets for the whole warp.
 *
 * A ballot says which lanes keep their element. The first of them takes
 * as many tickets as there are such lanes; each counts the keepers
 * below it to find its own.
 */
extern "C" __global__ void
filter(const int *data, int n, int *out, int *count)
{
    int step = gridDim.x * blockDim.x, lane = threadIdx.x % 32;
#pragma unroll 1
    for (int base = blockIdx.x * blockDim.x; base < n; base += step) {
        int i = base + threadIdx.x;
        int x = i < n ? data[i] : 0;
        unsigned keepers = __ballot_sync(0xffffffff, x >= 2);
        int leader = __ffs(keepers) - 1, first = 0;
        if (keepers && lane == leader)
            first = atomicAdd(count, __popc(keepers));
        first = __shfl_sync(0xffffffff, first, leader & 31);
        if (x >= 2)
            out[first + __popc(keepers & ((1u << lane) - 1))] = x;
    }
}
