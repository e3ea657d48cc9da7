extern __shared__ unsigned key[];

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

/* A key and the thread that offers it; nothing is more than any of them. */
typedef unsigned long long offer;
#define NOTHING (~0ull)

extern "C" __global__ void
sort(const unsigned *in, int n, unsigned *out)
{
    __shared__ offer least;
    int tid = threadIdx.x, lists = blockDim.x;
    for (int i = tid; i < n; i += lists)
        key[i] = in[i];
    sort_column(key, n, lists, tid);

    int at = tid;
    for (int k = 0; k < n; k++) {
        if (tid == 0)
            least = NOTHING;
        __syncthreads();
        offer mine = at < n ? (offer)key[at] << 32 | tid : NOTHING;
        atomicMin(&least, mine);
        __syncthreads();
        if (mine == least) {
            out[k] = key[at];
            at += lists;
            __syncthreads();
        }
    }
}
