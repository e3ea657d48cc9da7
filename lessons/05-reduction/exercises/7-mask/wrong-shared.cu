extern "C" __global__ void add_up(const int *x, int n, int *out)
{
    __shared__ int part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        if (lane < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncwarp();
    }
    if (lane == 0)
        atomicAdd(out, part[threadIdx.x]);
}
