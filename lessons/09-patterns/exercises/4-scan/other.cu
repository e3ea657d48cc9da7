/* Two lines that take turns, in shared memory of a fixed size. */
__global__ void scan(const int *x, int n, int *y)
{
    __shared__ int lines[2][1024];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid, from = 0;
    int sum = i < n ? x[i] : 0;
    lines[0][tid] = sum;
    __syncthreads();
    for (int reach = 1; reach < blockDim.x; reach *= 2) {
        if (tid >= reach)
            sum += lines[from][tid - reach];
        from = 1 - from;
        lines[from][tid] = sum;
        __syncthreads();
    }
    if (i < n)
        y[i] = sum;
}
