/* gather-4: points of four floats, far apart. By four plain loads, by one of 16 bytes, and through
 * a texture whose texels have four numbers.
 */
extern "C" __global__ void
four_loads(const float *x, float4 *y, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const volatile float *p = x + 4 * (i * stride & n - 1); /* volatile: the loads stay four */
        float a = p[0], b = p[1], c = p[2], d = p[3];
        y[i] = make_float4(a, b, c, d);
    }
}

extern "C" __global__ void
one_load(const float4 *x, float4 *y, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i * stride & n - 1];
}

extern "C" __global__ void
textured(cudaTextureObject_t x, float4 *y, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = tex1Dfetch<float4>(x, i * stride & n - 1);
}
