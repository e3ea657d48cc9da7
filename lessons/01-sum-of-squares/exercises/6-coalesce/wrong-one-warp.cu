extern "C" __global__ void sum_squares(const int *data, int n, int *sums)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;

    int sum = 0;
    if (threadIdx.x < 32)
        for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32)
            sum += data[i] * data[i];
    sums[thread] = sum;
}
