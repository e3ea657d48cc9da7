/* branch: half of the threads do one thing, half another; which half is which
 * is decided lane by lane or in groups.
 *
 * Both v / 2 + 1 and v / 4 + 1.5 go to 2.
 */
extern "C" __global__ void
either(float *out, int group, int rounds)
{
    float v = threadIdx.x;
    if (threadIdx.x / group % 2 == 0) {
#pragma unroll 1
        for (int i = 0; i < rounds; i++)
            v = v * 0.5f + 1.0f;
    } else {
#pragma unroll 1
        for (int i = 0; i < rounds; i++)
            v = v * 0.25f + 1.5f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
