/* Three words in turn and one barrier a round: a word is reset two rounds before it is used again. */
extern "C" __global__ void sort(const unsigned *in, int n, unsigned *out)
{
    extern __shared__ unsigned key[];
    __shared__ unsigned long long least[3];
    int tid = threadIdx.x, lists = blockDim.x;
    for (int i = tid; i < n; i += lists)
        key[i] = in[i];
    for (int i = tid; i < n; i += lists)
        for (int j = i + lists; j < n; j += lists)
            if (key[j] < key[i]) {
                unsigned t = key[i];
                key[i] = key[j];
                key[j] = t;
            }
    if (tid < 3)
        least[tid] = ~0ull;
    __syncthreads();
    int at = tid;
    for (int k = 0; k < n; k++) {
        unsigned long long mine = ~0ull;
        if (at < n) {
            mine = (unsigned long long)key[at] << 32 | tid;
            atomicMin(&least[k % 3], mine);
        }
        __syncthreads();
        if (at < n && mine == least[k % 3]) {
            out[k] = key[at];
            at += lists;
        }
        if (tid == 0)
            least[(k + 2) % 3] = ~0ull;
    }
}
