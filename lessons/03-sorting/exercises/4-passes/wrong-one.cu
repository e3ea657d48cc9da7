extern __shared__ unsigned key[];

extern "C" __global__ void sort_columns(const unsigned *in, int n, unsigned *out)
{
    int lists = blockDim.x;
    if (threadIdx.x)
        return;
    for (int i = 0; i < n; i++) {
        unsigned next = in[i];
        int to = i;
        for (; to >= lists && key[to - lists] > next; to -= lists)
            key[to] = key[to - lists];
        key[to] = next;
    }
    for (int i = 0; i < n; i++)
        out[i] = key[i];
}
