extern "C" __global__ void sum_pieces(const int *data, int n, int *sums)
{
    int sum = 0;
    if (threadIdx.x < 32)
        for (int i = threadIdx.x; i < n; i += 32)
            sum += data[i];
    sums[threadIdx.x] = sum;
}
