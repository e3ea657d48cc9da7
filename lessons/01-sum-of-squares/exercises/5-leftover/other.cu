/* Everything is cleared first, by its own thread; numbers come second. */
extern "C" __global__ void block_sum(const int *data, int n, int *sums)
{
    extern __shared__ int s[];
    int t = threadIdx.x, left = n - blockIdx.x * blockDim.x;
    s[t] = 0;
    if (t < left)
        s[t] = data[n - left + t];
    __syncthreads();
    for (int half = blockDim.x >> 1; half; half >>= 1) {
        int more = t < half ? s[t + half] : 0;
        __syncthreads();
        s[t] += more;
        __syncthreads();
    }
    if (!t)
        sums[blockIdx.x] = s[0];
}
