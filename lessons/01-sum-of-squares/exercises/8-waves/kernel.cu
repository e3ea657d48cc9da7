extern "C" __global__ void iterate(const float *in, float *out, int n)
{
    extern __shared__ float row[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = 0;
#pragma unroll 1
    for (int k = 0; k < 20; k++) /* first it reads ... */
        value += in[i + n * k];
#pragma unroll 1
    for (int k = 0; k < 300; k++) /* ... and then it computes */
        value = value * 0.5f + 1.0f;
    row[threadIdx.x] = value;
    out[i] = row[threadIdx.x];
}
