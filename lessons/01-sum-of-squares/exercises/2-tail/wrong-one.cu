extern "C" __global__ void sum_pieces(const int *data, int n, int *sums)
{
    int sum = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < n; i++)
            sum += data[i];
    sums[threadIdx.x] = sum;
}
