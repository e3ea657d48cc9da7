extern "C" __global__ void count(const int *x, int n, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int all = __syncthreads_count(i < n && x[i] >= 0);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = all;
}

extern "C" __global__ void keep(const int *x, int n, const int *counts, int *out, int *many)
{
    if (blockIdx.x || threadIdx.x)
        return;
    int all = 0;
    for (int i = 0; i < n; i++)
        if (x[i] >= 0)
            out[all++] = x[i];
    *many = all;
}
