extern "C" __global__ void
greatest(const float *data, int n, float *most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = data[i];
    int *word = (int *)most;
    int seen = __float_as_int(-1e30f), held; /* a guess */
    while (__int_as_float(seen) < x) {
        held = atomicCAS(word, seen, __float_as_int(x));
        if (held == seen)
            break;
        seen = held;
    }
}
