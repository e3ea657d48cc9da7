extern __shared__ int part[];

extern "C" __global__ void greatest(const int *x, int n, int *best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : -2147483647 - 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        int most = part[0];
        for (int k = 1; k < blockDim.x; k++)
            most = max(most, part[k]);
        best[blockIdx.x] = most;
    }
}
