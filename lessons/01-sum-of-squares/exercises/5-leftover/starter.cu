/* Exercise 1.5: the sum of a block's numbers, as a tree.
 *
 * block_sum<<<ceil(n / threads), threads, 4 * threads>>>(data, n, sums)
 */
extern __shared__ int shared[];

extern "C" __global__ void block_sum(const int *data, int n, int *sums)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    if (i < n)
        shared[tid] = data[i];
    __syncthreads();

    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            shared[tid] += shared[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        sums[blockIdx.x] = shared[0];
}
