/* Exercise 4.4: right, with an atomic addition for each thread.
 *
 * add_up<<<blocks, threads, 4 * threads>>>(data, n, sum)
 */
extern __shared__ int part[];

extern "C" __global__ void
add_up(const int *data, int n, int *sum)
{
    int tid = threadIdx.x, step = gridDim.x * blockDim.x;
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += step)
        mine += data[i];
    atomicAdd(sum, mine);
}
