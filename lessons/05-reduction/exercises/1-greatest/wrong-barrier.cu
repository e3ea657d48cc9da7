extern __shared__ int part[];

extern "C" __global__ void greatest(const int *x, int n, int *best)
{
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    part[tid] = i < n ? x[i] : -2147483647 - 1;
    __syncthreads();
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (tid < offset && part[tid + offset] > part[tid])
            part[tid] = part[tid + offset];
    }
    if (tid == 0)
        best[blockIdx.x] = part[0];
}
