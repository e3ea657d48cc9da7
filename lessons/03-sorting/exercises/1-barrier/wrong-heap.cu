extern __shared__ unsigned key[];

__device__ void sift(unsigned *heap, int at, int n)
{
    unsigned x = heap[at];
    for (int child; (child = 2 * at + 1) < n; at = child) {
        unsigned greater = heap[child];
        if (child + 1 < n && heap[child + 1] > greater)
            greater = heap[++child];
        if (greater <= x)
            break;
        heap[at] = greater;
    }
    heap[at] = x;
}

extern "C" __global__ void sort(const unsigned *in, int n, unsigned *out)
{
    if (threadIdx.x)
        return;
    for (int i = 0; i < n; i++)
        key[i] = in[i];
    for (int i = n / 2; i-- > 0;)
        sift(key, i, n);
    for (int i = n; i-- > 0;) {
        out[i] = key[0];
        key[0] = key[i];
        sift(key, 0, i);
    }
}
