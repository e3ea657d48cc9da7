extern "C" __global__ void row_sums(const int *x, int *out, int rows)
{
    int row = 32 * blockIdx.x + threadIdx.x;
    if (row < rows) {
        int sum = 0;
        for (int k = 0; k < 32; k++)
            sum += x[32 * row + k];
        out[row] = sum;
    }
}
