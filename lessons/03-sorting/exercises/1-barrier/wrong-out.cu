extern "C" __global__ void sort(const unsigned *in, int n, unsigned *out)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i];
    __syncthreads();
    for (int round = 0; round < n; round++) {
        for (int i = 2 * threadIdx.x + round % 2; i + 1 < n; i += 2 * blockDim.x)
            if (out[i] > out[i + 1]) {
                unsigned less = out[i + 1];
                out[i + 1] = out[i];
                out[i] = less;
            }
        __syncthreads();
    }
}
