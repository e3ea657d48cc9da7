/* filter: read between the texels of a texture, and let it interpolate.
 *
 * Texel k has its centre at k + 0.5.
 */
extern "C" __global__ void
between(cudaTextureObject_t texels, const float *at, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = tex1D<float>(texels, at[i] + 0.5f);
}

/* The same by hand: two reads and a multiply-add. */
extern "C" __global__ void
by_hand(const float *texels, const float *at, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int k = (int)at[i];
        float share = at[i] - k;
        y[i] = texels[k] + share * (texels[k + 1] - texels[k]);
    }
}
