extern "C" __global__ void keep(const int *data, int n, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, before = 0;
    if (i >= n || (data[i] < 2 && i < n - 1))
        return;
    for (int k = 0; k < i; k++)
        before += data[k] >= 2;
    if (data[i] >= 2)
        out[before] = data[i];
    if (i == n - 1)
        *count = before + (data[i] >= 2);
}
