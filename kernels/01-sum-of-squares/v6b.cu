/* v6b: the same doubling tree, with the adding threads packed at the
 * front: i = 2 * stride * tid.
 *
 * No lane is wasted any more: the first half of the threads adds, then
 * the first quarter, and so on. But the lanes of a warp now reach into
 * shared memory 2, 4, 8 ... words apart, and words that far apart lie
 * in the same few banks.
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
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        int i = 2 * stride * tid;
        if (i < blockDim.x)
            shared[i] += shared[i + stride];
        __syncthreads();
    }

    if (tid == 0) {
        sums[blockIdx.x] = shared[0];
        time[gridDim.x + blockIdx.x] = clock64();
    }
}
