/* The doubling tree, and the barrier before each round instead of after it. */
extern "C" __global__ void block_sum(const int *data, int n, int *sums)
{
    extern __shared__ int s[];
    unsigned t = threadIdx.x, i = t + blockIdx.x * blockDim.x;
    int mine = 0;
    if (i < (unsigned)n)
        mine = data[i];
    s[t] = mine;
    for (unsigned step = 1; step < blockDim.x; step <<= 1) {
        __syncthreads();
        if (t % (2 * step) == 0) {
            mine += s[t + step];
            s[t] = mine;
        }
    }
    if (t == 0)
        sums[blockIdx.x] = mine;
}
