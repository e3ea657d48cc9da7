/* Each block takes a piece of its own and reads that in a row; the loop is unrolled. */
__global__ void sum_squares(const int *data, int n, int *sums)
{
    int piece = (n + gridDim.x - 1) / gridDim.x;
    piece = (piece + 15) / 16 * 16; /* a piece begins at a multiple of 64 bytes */
    long long begin = (long long)blockIdx.x * piece, end = begin + piece < n ? begin + piece : n;
    int total = 0;
#pragma unroll 4
    for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
        int value = data[i];
        total += value * value;
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = total;
}
