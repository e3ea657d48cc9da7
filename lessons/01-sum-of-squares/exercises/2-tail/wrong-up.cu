extern "C" __global__ void sum_pieces(const int *data, int n, int *sums)
{
    int piece = (n + blockDim.x - 1) / blockDim.x;
    int first = threadIdx.x * piece;
    int last = first + piece;

    int sum = 0;
    for (int i = first; i < last; i++)
        sum += data[i];
    sums[threadIdx.x] = sum;
}
