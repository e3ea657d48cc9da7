extern "C" __global__ void keep(const int *data, int n, int *out, int *count)
{
    __shared__ int many, first;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        many = 0;
    __syncthreads();
    int value = i < n ? data[i] : 0, place = value >= 2 ? atomicAdd(&many, 1) : 0;
    __syncthreads();
    if (threadIdx.x == 0)
        first = atomicAdd(count, many);
    __syncthreads();
    if (value >= 2)
        out[first + place] = value;
}
