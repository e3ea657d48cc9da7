/* cas-multiply: a multiplication that CUDA does not offer.
 *
 * The loop is the one that added; only what it computes has changed.
 * Any operation on a word can be made atomic so.
 */
__device__ unsigned
multiply_by_cas(unsigned *to, unsigned x)
{
    unsigned seen = 1, held;
    while ((held = atomicCAS(to, seen, seen * x)) != seen)
        seen = held;
    return seen;
}

/* Factors 2x + 1: a product of odd numbers never becomes 0. */
extern "C" __global__ void
multiply(const unsigned *data, int n, unsigned *product)
{
    int step = gridDim.x * blockDim.x;
    unsigned mine = 1;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        mine *= 2 * data[i] + 1;
    multiply_by_cas(&product[0], mine);
}
