extern "C" __global__ void split(const unsigned *in, unsigned *out, int n, int bit)
{
    __shared__ int zeros, ones;
    int tid = threadIdx.x;
    if (tid == 0)
        zeros = ones = 0;
    __syncthreads();
    unsigned key = tid < n ? in[tid] : 0;
    bool zero = !(key >> bit & 1);
    int ticket = tid >= n ? 0 : atomicAdd(zero ? &zeros : &ones, 1);
    __syncthreads();
    if (tid < n)
        out[zero ? ticket : zeros + ticket] = key;
}
