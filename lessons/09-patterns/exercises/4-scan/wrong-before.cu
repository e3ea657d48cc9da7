extern __shared__ int line[];

extern "C" __global__ void scan(const int *x, int n, int *y)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    line[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int reach = 1; reach < blockDim.x; reach *= 2) {
        int below = tid >= reach ? line[tid - reach] : 0;
        __syncthreads();
        line[tid] += below;
        __syncthreads();
    }
    if (i < n)
        y[i] = tid > 0 ? line[tid - 1] : 0;
}
