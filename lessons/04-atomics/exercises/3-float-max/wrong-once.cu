extern "C" __global__ void
greatest(const float *data, int n, float *most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = data[i];
    int seen = atomicAdd((int *)most, 0);
    if (__int_as_float(seen) < x)
        atomicCAS((int *)most, seen, __float_as_int(x));
}
