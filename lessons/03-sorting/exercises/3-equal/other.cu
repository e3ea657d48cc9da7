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

extern "C" __global__ void
sort(const unsigned *in, int n, unsigned *out)
{
    __shared__ unsigned least;
    __shared__ int winner;
    int tid = threadIdx.x, lists = blockDim.x;
    for (int i = tid; i < n; i += lists)
        key[i] = in[i];
    sort_column(key, n, lists, tid);

    int at = tid;
    for (int k = 0; k < n; k++) {
        if (tid == 0)
            least = 0xffffffff, winner = lists;
        __syncthreads();
        if (at < n)
            atomicMin(&least, key[at]);
        __syncthreads();
        bool holds = at < n && key[at] == least;
        if (holds)
            atomicMin(&winner, tid);
        __syncthreads();
        if (holds && winner == tid) {
            out[k] = key[at];
            at += lists;
        }
        __syncthreads();
    }
}
