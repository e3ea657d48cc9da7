extern "C" __global__ void histogram(const unsigned *key, int n, unsigned *bin)
{
    int total = gridDim.x * 256, each = (n + total - 1) / total;
    int first = (blockIdx.x * 256 + threadIdx.x) * each, end = min(first + each, n);
    unsigned run = 0;
    for (int i = first; i < end; i++) {
        run++;
        if (i + 1 == end || key[i + 1] != key[i]) {
            atomicAdd(&bin[key[i]], run);
            run = 0;
        }
    }
}
