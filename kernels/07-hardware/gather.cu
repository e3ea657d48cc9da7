/* gather: thread i reads element i * stride, wrapped around at n, a power of two:
 * neighbours far apart. Through plain loads, through the read-only path, through a texture.
 */
extern "C" __global__ void
plain(const float *x, float *y, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i * stride & n - 1];
}

extern "C" __global__ void
read_only(const float *x, float *y, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __ldg(&x[i * stride & n - 1]);
}

extern "C" __global__ void
textured(cudaTextureObject_t x, float *y, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = tex1Dfetch<float>(x, i * stride & n - 1);
}
