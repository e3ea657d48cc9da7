extern __shared__ int part[];

extern "C" __global__ void
add_up(const int *data, int n, int *sum)
{
    int tid = threadIdx.x, step = gridDim.x * blockDim.x;
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += step)
        mine += data[i];
    part[tid] = mine;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            part[tid] += part[tid + stride];
    }
    if (tid == 0)
        atomicAdd(sum, part[0]);
}
