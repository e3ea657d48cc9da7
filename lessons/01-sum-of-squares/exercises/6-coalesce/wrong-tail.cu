extern "C" __global__ void sum_squares(const int *data, int n, int *sums)
{
    int threads = gridDim.x * blockDim.x;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;

    int sum = 0;
    for (int k = 0; k < n / threads; k++)
        sum += data[k * threads + thread] * data[k * threads + thread];
    sums[thread] = sum;
}
