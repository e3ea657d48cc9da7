extern __shared__ int part[];

extern "C" __global__ void greatest(const int *x, int n, int *best)
{
    int tid = threadIdx.x, most = -2147483647 - 1;
    if (blockIdx.x == 0)
        for (int i = tid; i < n; i += blockDim.x)
            most = max(most, x[i]);
    part[tid] = most;
    __syncthreads();
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (tid < offset && part[tid + offset] > part[tid])
            part[tid] = part[tid + offset];
        __syncthreads();
    }
    if (tid == 0)
        best[blockIdx.x] = part[0];
}
