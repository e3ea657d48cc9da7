extern "C" __global__ void add_up(const int *x, int n, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i < n ? x[i] : 0;
    if (i < n)
        atomicAdd(out, sum);
}
