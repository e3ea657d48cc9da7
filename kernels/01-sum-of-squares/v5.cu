/* v5: the sums of a block meet in shared memory, and thread 0 adds
 * them.
 *
 * Shared memory belongs to the block and is as near as the registers
 * are. The barrier makes sure that every thread has written its sum
 * before thread 0 reads it. All others wait while thread 0 adds: the
 * host has less to do, the card more.
 */
extern __shared__ int shared[]; /* the launch says how many bytes */

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

    if (tid == 0) {
#pragma unroll 1
        for (int i = 1; i < blockDim.x; i++)
            sum += shared[i];
        sums[blockIdx.x] = sum;
        time[gridDim.x + blockIdx.x] = clock64();
    }
}
