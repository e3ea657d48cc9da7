extern "C" __global__ void
histogram(const int *data, int n, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bin = i < n ? data[i] : 0;
    int old = count[bin];
    __syncthreads();
    if (i < n)
        count[bin] = old + 1;
}
