extern "C" __global__ void row_sums(const float *x, float *out, int n)
{
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row < n) {
        float sum = 0;
        for (int k = 0; k < 32; k++)
            sum += x[32 * row + k];
        out[row] = sum;
    }
}
