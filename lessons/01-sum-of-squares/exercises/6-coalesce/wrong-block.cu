extern "C" __global__ void sum_squares(const int *data, int n, int *sums)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;

    int sum = 0;
    if (blockIdx.x == 0) {
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            sum += data[i] * data[i];
    }
    sums[thread] = sum;
}
