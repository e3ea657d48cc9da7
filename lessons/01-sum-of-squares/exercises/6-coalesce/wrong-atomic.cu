extern "C" __global__ void sum_squares(const int *data, int n, int *sums)
{
    int threads = gridDim.x * blockDim.x;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;

    int sum = 0;
    for (int i = thread; i < n; i += threads) {
        int value = atomicAdd((int *)data + i, 0);
        sum += value * value;
    }
    sums[thread] = sum;
}
