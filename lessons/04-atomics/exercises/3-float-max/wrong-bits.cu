extern "C" __global__ void
greatest(const float *data, int n, float *most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = data[i];
    atomicMax((int *)most, __float_as_int(x));
}
