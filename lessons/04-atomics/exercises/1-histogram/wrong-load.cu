extern "C" __global__ void histogram(const int *data, int n, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int held = atomicAdd(&count[data[i]], 0);
        atomicExch(&count[data[i]], held + 1);
    }
}
