/* private: each thread adds up its own share first, and then does one
 * atomic addition.
 */
extern "C" __global__ void
add_up(const int *data, int n, int *sum)
{
    int step = gridDim.x * blockDim.x;
    int mine = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        mine += data[i];
    atomicAdd(&sum[0], mine);
}
