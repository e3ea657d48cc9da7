extern "C" __global__ void sum_squares(const int *data, int n, int *sums)
{
    int threads = gridDim.x * blockDim.x;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;

    int sum = 0;
    if (thread == 0 && n > 0)
        sum = data[0] * data[0];
    for (int i = thread + 1; i < n; i += threads)
        sum += data[i] * data[i];
    sums[thread] = sum;
}
