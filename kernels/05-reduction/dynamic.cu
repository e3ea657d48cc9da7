/* dynamic: the tree in shared memory, whose size the launch gives.
 *
 * The block may have any power of two of threads; the third number of the
 * launch says how many bytes that takes.
 */
extern __shared__ float part[];

extern "C" __global__ void
reduce(const float *x, int n, float *sums)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    part[tid] = i < n ? x[i] : 0;
    __syncthreads();

#pragma unroll 1
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (tid < offset)
            part[tid] += part[tid + offset];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}
