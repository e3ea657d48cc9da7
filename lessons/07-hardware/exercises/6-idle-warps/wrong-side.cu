extern "C" __global__ void fold(const int *x, int n, int *sums)
{
    __shared__ int part[256];
    int tid = threadIdx.x, i = 256 * blockIdx.x + tid;
    part[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int stride = 1; stride < 256; stride *= 2) {
        int at = 2 * stride * tid;
        if (at < 256)
            part[at] += part[at + stride];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}
