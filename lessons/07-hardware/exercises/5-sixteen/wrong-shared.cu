extern "C" __global__ void add_four(const float *p, int n, float *out)
{
    __shared__ float words[1024];
    int tid = threadIdx.x, first = 256 * blockIdx.x;
    for (int k = tid; k < 1024 && 4 * first + k < 4 * n; k += 256)
        words[k] = p[4 * first + k];
    __syncthreads();
    if (first + tid < n)
        out[first + tid] = words[4 * tid] + words[4 * tid + 1] + words[4 * tid + 2] + words[4 * tid + 3];
}
