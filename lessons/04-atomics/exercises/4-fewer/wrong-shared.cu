extern "C" __global__ void add_up(const int *data, int n, int *sum)
{
    __shared__ int part;
    int mine = 0;
    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += data[i];
    atomicAdd(&part, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, part);
}
