/* cas-float: adding floats with a compare-and-swap of integers.
 *
 * CAS compares bits. __float_as_int and __int_as_float change nothing
 * but the name under which 32 bits go. The old value goes back as a
 * float: handing back the bits as a number would be nonsense.
 */
__device__ float
add_by_cas(float *to, float x)
{
    int *word = (int *)to;
    int seen = 0, held;
    while ((held = atomicCAS(word, seen, __float_as_int(__int_as_float(seen) + x))) != seen)
        seen = held;
    return __int_as_float(seen);
}

extern "C" __global__ void
add_up(const float *data, int n, float *sum)
{
    int step = gridDim.x * blockDim.x;
    float mine = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        mine += data[i];
    add_by_cas(&sum[0], mine);
}
