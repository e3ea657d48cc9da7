extern "C" __global__ void histogram(const int *data, int n, int *count)
{
    if (blockIdx.x == 0)
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            atomicAdd(&count[data[i]], 1);
}
