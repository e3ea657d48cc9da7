/* atomic-add: the same, with an addition that nobody can interrupt.
 *
 * Read, add and write happen at the memory itself, as one step. The
 * threads take turns there, in whatever order they arrive.
 */
extern "C" __global__ void
add_up(const int *data, int n, int *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sum[0], data[i]);
}
