extern "C" __global__ void add_four(const float *p, int n, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = *(const float4 *)(p + i);
        out[i] = v.x + v.y + v.z + v.w;
    }
}
