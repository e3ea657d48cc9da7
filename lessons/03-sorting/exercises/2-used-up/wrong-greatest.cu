typedef unsigned long long offer; /* a key, and below it the thread that offers it */
extern __shared__ offer best[]; /* an offer for each thread, then the keys */

/* Column tid, in place: each key moves up past the greater ones. */
__device__ void sort_column(unsigned *key, int n, int lists, int tid)
{
    for (int i = tid + lists; i < n; i += lists) {
        unsigned x = key[i];
        int to = i;
        for (; to >= lists && key[to - lists] > x; to -= lists)
            key[to] = key[to - lists];
        key[to] = x;
    }
}

extern "C" __global__ void
sort(const unsigned *in, int n, unsigned *out)
{
    unsigned *key = (unsigned *)(best + blockDim.x);
    int tid = threadIdx.x, lists = blockDim.x;
    for (int i = tid; i < n; i += lists)
        key[i] = in[i];
    sort_column(key, n, lists, tid);

    int at = tid;
    for (int k = 0; k < n; k++) {
        offer mine = (offer)(at < n ? key[at] : 0xffffffff) << 32 | tid;
        best[tid] = mine;
        __syncthreads();
        for (int active = lists; active > 1;) {
            int half = (active + 1) / 2;
            if (tid + half < active && best[tid + half] < best[tid])
                best[tid] = best[tid + half];
            __syncthreads();
            active = half;
        }
        if (mine == best[0]) {
            out[k] = key[at];
            at += lists;
        }
        __syncthreads();
    }
}
