extern __shared__ int line[];

extern "C" __global__ void scan(const int *x, int n, int *y)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    line[tid] = x[i];
    __syncthreads();
    for (int reach = 1; reach < blockDim.x; reach *= 2) {
        int below = tid >= reach ? line[tid - reach] : 0;
        __syncthreads();
        line[tid] += below;
        __syncthreads();
    }
    y[i] = line[tid];
}
