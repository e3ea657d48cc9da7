/* An atomic maximum in shared memory: fewer lines, more waiting. */
__global__ void greatest(const int *x, int n, int *best)
{
    __shared__ int most;
    int first = blockIdx.x * blockDim.x;
    if (threadIdx.x == 0)
        most = x[first];
    __syncthreads();
    if (first + (int)threadIdx.x < n)
        atomicMax(&most, x[first + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        best[blockIdx.x] = most;
}
