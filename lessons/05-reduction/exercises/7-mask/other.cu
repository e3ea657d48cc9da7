/* Whole warps without a number leave; within a warp all stay. */
__global__ void add_up(const int *x, int n, int *out)
{
    const unsigned lane = threadIdx.x & 31, first = blockIdx.x * blockDim.x + (threadIdx.x - lane);
    if (first >= (unsigned)n)
        return;
    int sum = 0;
    if (first + lane < (unsigned)n)
        sum = x[first + lane];
    __syncwarp();
    for (int other = 1; other < 32; other *= 2)
        sum += __shfl_xor_sync(~0u, sum, other);
    if (lane == 31)
        atomicAdd(out, sum);
}
