/* All columns agree on the greatest key, and stop above its highest bit. */
extern "C" __global__ void sort_columns(const unsigned *in, int n, unsigned *out)
{
    extern __shared__ unsigned s[];
    __shared__ unsigned greatest;
    unsigned *a = s, *b = s + n;
    int me = threadIdx.x, wide = blockDim.x;
    if (me == 0)
        greatest = 0;
    __syncthreads();
    unsigned mine = 0;
    for (int i = me; i < n; i += wide) {
        a[i] = in[i];
        mine = max(mine, a[i]);
    }
    atomicMax(&greatest, mine);
    __syncthreads();
    int bits = 32 - __clz(greatest);
    for (int bit = 0; bit < bits; bit++) {
        int front = me, back = me;
        for (int i = me; i < n; i += wide)
            if (a[i] & 1u << bit) {
                b[back] = a[i];
                back += wide;
            } else {
                a[front] = a[i];
                front += wide;
            }
        for (int i = me; i < back; i += wide, front += wide)
            a[front] = b[i];
    }
    for (int i = me; i < n; i += wide)
        out[i] = a[i];
}
