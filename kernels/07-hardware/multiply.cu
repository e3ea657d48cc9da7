/* multiply: a chain of integer products, in 32 bits and in 24.
 *
 * 5 to the power of 256 leaves the remainder 1 when divided by 1024: after 256
 * rounds each thread has its own number again.
 */
extern "C" __global__ void
full(int *out, int rounds, int five)
{
    int v = threadIdx.x & 1023;
#pragma unroll 8
    for (int i = 0; i < rounds; i++) {
        v = v * five & 1023;
        asm volatile("" : "+r"(v)); /* one product at a time: 5 * 5 * v is not what we ask for */
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

/* What __mul24() was for. Today's nvcc writes shifts and a full product for
 * it, so this says the instruction itself. */
static __device__ int
mul24(int a, int b)
{
    int d;
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
    return d;
}

extern "C" __global__ void
short_24(int *out, int rounds, int five)
{
    int v = threadIdx.x & 1023;
#pragma unroll 8
    for (int i = 0; i < rounds; i++) {
        v = mul24(v, five) & 1023;
        asm volatile("" : "+r"(v));
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
