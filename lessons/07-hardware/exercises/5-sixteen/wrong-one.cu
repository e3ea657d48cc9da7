extern "C" __global__ void add_four(const float *p, int n, float *out)
{
    int first = blockIdx.x * blockDim.x;
    if (threadIdx.x)
        return;
    for (int i = first; i < first + 256 && i < n; i++) {
        float4 v = ((const float4 *)p)[i];
        out[i] = v.x + v.y + v.z + v.w;
    }
}
