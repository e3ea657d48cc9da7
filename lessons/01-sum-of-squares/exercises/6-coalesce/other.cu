/* Written with another kind of loop, and the square taken of a copy. */
__global__ void sum_squares(const int *data, int n, int *sums)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x, mine = i, total = 0;
#pragma unroll 1
    while (i < n) {
        int value = data[i];
        total += value * value;
        i += blockDim.x * gridDim.x;
    }
    sums[mine] = total;
}
