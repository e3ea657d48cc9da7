__device__ void sink(unsigned *key, int at, int n)
{
    for (int child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && key[child + 1] > key[child])
            child++;
        if (key[child] <= key[at])
            return;
        unsigned a = key[at];
        key[at] = key[child];
        key[child] = a;
    }
}

extern "C" __global__ void exchange(unsigned *key, int n, int size, int stride)
{
    if (size < n || stride > 1 || blockIdx.x || threadIdx.x)
        return;
    for (int i = n / 2; i-- > 0;)
        sink(key, i, n);
    for (int i = n; i-- > 1;) {
        unsigned a = key[0];
        key[0] = key[i];
        key[i] = a;
        sink(key, 0, i);
    }
}
