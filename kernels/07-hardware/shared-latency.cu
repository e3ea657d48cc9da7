/* shared-latency: one thread reads shared memory, and the word it gets says where to read next. */
extern "C" __global__ void
chase(int rounds, int *last)
{
    __shared__ int next[256];
#pragma unroll 1
    for (int i = 0; i < 256; i++)
        next[i] = i + 65 & 255;

    int i = 0;
#pragma unroll 16
    for (int k = 0; k < rounds; k++)
        i = next[i];
    *last = i;
}
