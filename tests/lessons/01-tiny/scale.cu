/* Every element times a factor: a lesson of two lines, for the tests of lessons. */
extern "C" __global__ void scale(const float *in, float *out, int n, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factor * in[i];
}
