extern "C" __global__ void keep(const int *data, int n, int *out, int *count)
{
    int first = blockIdx.x * blockDim.x;
    if (threadIdx.x == 0)
        for (int i = first; i < first + (int)blockDim.x && i < n; i++)
            if (data[i] >= 2)
                out[atomicAdd(count, 1)] = data[i];
}
