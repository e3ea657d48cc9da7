extern __shared__ unsigned key[];

extern "C" __global__ void sort(const unsigned *in, int n, unsigned *out)
{
    if (threadIdx.x)
        return;
    for (int i = 0; i < n; i++) {
        unsigned next = in[i];
        int to = i;
        for (; to > 0 && key[to - 1] > next; to--)
            key[to] = key[to - 1];
        key[to] = next;
    }
    for (int i = 0; i < n; i++)
        out[i] = key[i];
}
