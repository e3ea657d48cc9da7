extern "C" __global__ void keep(const int *data, int n, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && data[i] >= 2) {
        int slot = atomicAdd(count, 0);
        atomicAdd(count, 1);
        atomicExch(&out[slot], data[i]);
    }
}
