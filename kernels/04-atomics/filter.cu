/* filter: keep the numbers from 2 on, side by side, in any order.
 *
 * The old value of a counter is a ticket: no two threads get the same,
 * and none is left out. It says where to put the element.
 */
extern "C" __global__ void
filter(const int *data, int n, int *out, int *count)
{
    int step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        int x = data[i];
        if (x >= 2) {
            int slot = atomicAdd(count, 1);
            out[slot] = x;
        }
    }
}
