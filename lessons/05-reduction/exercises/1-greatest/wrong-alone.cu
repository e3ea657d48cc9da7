extern "C" __global__ void greatest(const int *x, int n, int *best)
{
    if (threadIdx.x)
        return;
    int first = blockIdx.x * blockDim.x, most = x[first];
    for (int i = first; i < first + (int)blockDim.x && i < n; i++)
        most = max(most, x[i]);
    best[blockIdx.x] = most;
}
