extern "C" __global__ void add_all(const int *x, int n, int *total)
{
    __shared__ int part;
    int mine = 0;
    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += x[i];
    atomicAdd(&part, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(total, part);
}
