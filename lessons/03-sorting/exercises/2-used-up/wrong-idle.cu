extern __shared__ unsigned long long mine[]; /* a word for each thread, then the keys */

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
    unsigned *key = (unsigned *)(mine + blockDim.x);
    volatile unsigned long long *look = mine + threadIdx.x;
    if (threadIdx.x) {
        *look = 0;
        for (int i = 0; i < 2 * n; i++)
            *look;
        return;
    }
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
