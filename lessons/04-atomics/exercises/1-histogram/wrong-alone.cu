extern "C" __global__ void histogram(const int *data, int n, int *count)
{
    int first = blockIdx.x * blockDim.x;
    if (threadIdx.x == 0)
        for (int i = first; i < first + (int)blockDim.x && i < n; i++)
            atomicAdd(&count[data[i]], 1);
}
