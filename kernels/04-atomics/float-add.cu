/* float-add: the same with the operation that the card brings. */
extern "C" __global__ void
add_up(const float *data, int n, float *sum)
{
    int step = gridDim.x * blockDim.x;
    float mine = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        mine += data[i];
    atomicAdd(&sum[0], mine);
}
