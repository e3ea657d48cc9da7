extern "C" __global__ void count(const int *data, int n, unsigned short *counters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int d = data[i];
    unsigned *word = (unsigned *)counters + d / 2;
    unsigned add = d % 2 ? 65536 : 1, seen = 0;
    while (atomicCAS(word, seen, seen + add) != seen)
        ;
}
