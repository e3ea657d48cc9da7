extern "C" __global__ void add_up(const int *in, int *out, int pieces)
{
    __shared__ int total;
    int t = threadIdx.x, sum = 0;
    in += 256 * pieces * blockIdx.x;
    if (t == 0)
        total = 0;
    __syncthreads();
    for (int round = 0; round < pieces; round++)
        sum += in[256 * round + t];
    for (int reach = 16; reach > 0; reach /= 2)
        sum += __shfl_down_sync(~0u, sum, reach);
    if (t % 32 == 0)
        atomicAdd(&total, sum);
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = total;
}
