extern "C" __global__ void keep(const int *data, int n, int *out, int *count)
{
    if (blockIdx.x == 0)
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            if (data[i] >= 2)
                out[atomicAdd(count, 1)] = data[i];
}
