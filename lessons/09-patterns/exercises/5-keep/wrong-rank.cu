extern "C" __global__ void count(const int *x, int n, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int all = __syncthreads_count(i < n && x[i] >= 0);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = all;
}

extern "C" __global__ void keep(const int *x, int n, const int *counts, int *out, int *many)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, before = 0;
    if (i >= n || x[i] < 0)
        return;
    for (int k = 0; k < i; k++)
        before += x[k] >= 0;
    out[before] = x[i];
    atomicAdd(many, 1);
}
