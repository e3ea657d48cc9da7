extern "C" __global__ void count(const int *data, int n, unsigned short *counters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int d = data[i];
    unsigned *word = (unsigned *)counters + d / 2;
    unsigned seen = atomicAdd(word, 0);
    atomicCAS(word, seen, seen + (1u << d % 2 * 16));
}
