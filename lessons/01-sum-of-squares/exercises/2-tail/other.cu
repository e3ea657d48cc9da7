/* No pieces at all: every thread takes each threads-th number. */
extern "C" __global__ void sum_pieces(const int *data, int n, int *sums)
{
    int sum = 0, i = threadIdx.x;
    while (i < n) {
        sum = sum + *(data + i);
        i = i + blockDim.x;
    }
    sums[threadIdx.x] = sum;
}
