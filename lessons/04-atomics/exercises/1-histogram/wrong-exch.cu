extern "C" __global__ void
histogram(const int *data, int n, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int bin = data[i];
    atomicExch(&count[bin], count[bin] + 1);
}
