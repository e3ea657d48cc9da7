extern "C" __global__ void add_up(const int *x, int n, int *out)
{
    int sum = 0;
    if (blockIdx.x)
        return;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}
