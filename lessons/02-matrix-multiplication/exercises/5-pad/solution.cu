extern "C" __global__ void row_sums(const float *x, float *out, int n)
{
    __shared__ float words[64 * 33];
    int tid = threadIdx.x, first = blockIdx.x * 64;
    int mine = n - first < 64 ? n - first : 64; /* rows of this block */

    for (int i = tid; i < 32 * mine; i += 64) {
        int row = i / 32, column = i % 32;
        words[row * 33 + column] = x[32 * first + i];
    }
    __syncthreads();
    if (tid < mine) {
        float sum = 0;
        for (int k = 0; k < 32; k++)
            sum += words[tid * 33 + k];
        out[first + tid] = sum;
    }
}
