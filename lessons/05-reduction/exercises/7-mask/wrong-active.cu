extern "C" __global__ void add_up(const int *x, int n, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = x[i];
    unsigned here = __activemask();
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(here, sum, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}
