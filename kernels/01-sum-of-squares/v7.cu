/* v7: the tree with a stride that halves: the far half is added to the
 * near half.
 *
 * The adding threads are always the first ones, and neighbours read
 * neighbouring words: whole warps retire round by round, and no two
 * lanes conflict in a bank.
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

#pragma unroll 1
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            shared[tid] += shared[tid + stride];
        __syncthreads();
    }

    if (tid == 0) {
        sums[blockIdx.x] = shared[0];
        time[gridDim.x + blockIdx.x] = clock64();
    }
}
