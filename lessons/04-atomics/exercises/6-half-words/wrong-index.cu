extern "C" __global__ void count(const int *data, int n, unsigned short *counters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int d = data[i];
    unsigned *word = (unsigned *)counters + d;
    unsigned seen = 0, held;
    while ((held = atomicCAS(word, seen, seen + 1)) != seen)
        seen = held;
}
