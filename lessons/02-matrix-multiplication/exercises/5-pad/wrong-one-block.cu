extern "C" __global__ void row_sums(const float *x, float *out, int n)
{
    __shared__ float words[64 * 33];
    int tid = threadIdx.x;
    if (blockIdx.x)
        return;
    for (int first = 0; first < n; first += 64) {
        int mine = n - first < 64 ? n - first : 64;
        for (int i = tid; i < 32 * mine; i += 64)
            words[i / 32 * 33 + i % 32] = x[32 * first + i];
        __syncthreads();
        if (tid < mine) {
            float sum = 0;
            for (int k = 0; k < 32; k++)
                sum += words[tid * 33 + k];
            out[first + tid] = sum;
        }
        __syncthreads();
    }
}
