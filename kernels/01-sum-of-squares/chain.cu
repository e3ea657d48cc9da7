/* chain: random numbers. Each is made from the one before, so a thread can only make them one
 * after another. Every thread begins with a seed of its own.
 *
 * `#pragma unroll 1` keeps the loop as written, as in v1.
 */
extern "C" __global__ void
generate(const unsigned *seed, unsigned *out, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = seed[i];
#pragma unroll 1
        for (int k = 0; k < rounds; k++)
            x = 1664525 * x + 1013904223;
        out[i] = x;
    }
}
