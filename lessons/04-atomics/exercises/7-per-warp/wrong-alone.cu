extern "C" __global__ void keep(const int *data, int n, int *out, int *count)
{
    if (threadIdx.x)
        return;
    int begin = blockIdx.x * blockDim.x, end = min(begin + (int)blockDim.x, n), many = 0;
    for (int i = begin; i < end; i++)
        many += data[i] >= 2;
    int at = atomicAdd(count, many);
    for (int i = begin; i < end; i++)
        if (data[i] >= 2)
            out[at++] = data[i];
}
