extern "C" __global__ void sum_pieces(const int *data, int n, int *sums)
{
    int piece = n / blockDim.x;
    int first = threadIdx.x * piece;

    int sum = 0;
    for (int i = first; i < first + piece; i++)
        sum += data[i];
    if (threadIdx.x == blockDim.x - 1 && n % blockDim.x != 0)
        sum += data[n - 1];
    sums[threadIdx.x] = sum;
}
