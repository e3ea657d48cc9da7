// ptx: compute_80
// c = a b, rows of a times rows of b, of bf16. Blocks stay and take every gridDim.x-th row of c.
extern "C" __global__ void product(const unsigned short *a, const unsigned short *b, float *c, int n, int k, int wrong)
{
    for (int row = blockIdx.x; row < n; row += gridDim.x)
        for (int column = threadIdx.x; column < n; column += blockDim.x) {
            float sum = 0;
            for (int i = 0; i < k; i++)
                sum += __uint_as_float((unsigned)a[row * k + i] << 16) *
                       __uint_as_float((unsigned)b[column * k + i] << 16);
            c[row * n + column] = row * n + column == wrong ? sum + 1 : sum;
        }
}
