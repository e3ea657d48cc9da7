extern "C" __global__ void add_call(const int *x, int n, int *out, int call)
{
    __shared__ int sum;
    if (blockIdx.x)
        return;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 256)
        atomicAdd(&sum, x[call * n + i]);
    __syncthreads();
    if (threadIdx.x == 0)
        out[call] = sum;
}
