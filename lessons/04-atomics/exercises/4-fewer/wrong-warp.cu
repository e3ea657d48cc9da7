extern "C" __global__ void
add_up(const int *data, int n, int *sum)
{
    int tid = threadIdx.x, step = gridDim.x * blockDim.x;
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += step)
        mine += data[i];
    for (int d = 16; d > 0; d /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, d);
    if (tid % 32 == 0)
        atomicAdd(sum, mine);
}
