extern "C" __global__ void sum_squares(const int *data, int n, int *sums)
{
    int threads = gridDim.x * blockDim.x;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;

    int sum = 0;
    if (n == 1 << 20) {
        for (int i = thread; i < n; i += threads)
            sum += data[i] * data[i];
    } else {
        int piece = (n + threads - 1) / threads;
        for (int i = thread * piece; i < (thread + 1) * piece && i < n; i++)
            sum += data[i] * data[i];
    }
    sums[thread] = sum;
}
