extern "C" __global__ void add_four(const float *p, int n, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 v = ((const float2 *)p)[2 * i], w = ((const float2 *)p)[2 * i + 1];
        out[i] = v.x + v.y + w.x + w.y;
    }
}
