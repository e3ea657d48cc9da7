/* v6: the sums of a block are added as a tree whose stride doubles:
 * neighbours first.
 *
 * Round 1 adds 1 to 0, 3 to 2, 5 to 4 ...; round 2 adds 2 to 0, 6 to 4
 * ...; and so on. The mask picks the threads that still add. They lie
 * ever further apart, so every warp stays busy until late, for the sake
 * of fewer and fewer lanes.
 */
extern __shared__ int shared[];

extern "C" __global__ void
sum_squares(const int *data, int n, int *sums, long long *time)
{
    int tid = threadIdx.x;
    if (tid == 0)
        time[blockIdx.x] = clock64();

    int step = gridDim.x * blockDim.x; /* all threads of all blocks */
    int sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += step)
        sum += data[i] * data[i];
    shared[tid] = sum;
    __syncthreads();

    int mask = 1;
#pragma unroll 1
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if ((tid & mask) == 0)
            shared[tid] += shared[tid + stride];
        mask = 2 * mask + 1;
        __syncthreads();
    }

    if (tid == 0) {
        sums[blockIdx.x] = shared[0];
        time[gridDim.x + blockIdx.x] = clock64();
    }
}
