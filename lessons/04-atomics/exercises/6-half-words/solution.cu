extern "C" __global__ void count(const int *data, int n, unsigned short *counters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int d = data[i];
    unsigned *word = (unsigned *)counters + d / 2;
    int shift = d % 2 * 16;
    unsigned half = 0xffffu << shift, seen = 0, held; /* a guess */
    while ((held = atomicCAS(word, seen, (seen & ~half) | ((seen + (1u << shift)) & half))) != seen)
        seen = held;
}
