extern __shared__ float words[];

extern "C" __global__ void row_sums(const float *x, float *out, int n)
{
    int tid = threadIdx.x;
    if (blockIdx.x)
        return;
    for (int first = 0; first < n; first += 128) {
        for (int i = tid; i < 640 && 5 * first + i < 5 * n; i += 128)
            words[i] = x[5 * first + i];
        __syncthreads();
        if (first + tid < n) {
            float sum = 0;
            for (int k = 0; k < 5; k++)
                sum += words[5 * tid + k];
            out[first + tid] = sum;
        }
        __syncthreads();
    }
}
