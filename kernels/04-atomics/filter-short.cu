/* filter-short: WRONG. filter with a loop that ends one turn too early: the last numbers are never
 * looked at. Every number that is kept is one that should be.
 */
extern "C" __global__ void
filter(const int *data, int n, int *out, int *count)
{
    int step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - step; i += step) {
        int x = data[i];
        if (x >= 2) {
            int slot = atomicAdd(count, 1);
            out[slot] = x;
        }
    }
}
