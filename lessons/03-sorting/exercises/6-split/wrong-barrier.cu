extern "C" __global__ void split(const unsigned *in, unsigned *out, int n, int bit)
{
    __shared__ int count[1024];
    int tid = threadIdx.x;
    unsigned key = tid < n ? in[tid] : 0;
    bool zero = tid < n && !(key >> bit & 1);

    count[tid] = zero;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        int before = tid >= distance ? count[tid - distance] : 0;
        count[tid] += before;
        __syncthreads();
    }
    int all = count[blockDim.x - 1], zeros = count[tid] - zero; /* before this one */
    if (tid < n)
        out[zero ? zeros : all + tid - zeros] = key;
}
