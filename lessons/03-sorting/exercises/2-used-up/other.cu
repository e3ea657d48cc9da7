/* A flag above the key instead of a greatest value, and the tree as a loop over strides. */
extern "C" __global__ void sort(const unsigned *in, int n, unsigned *out)
{
    extern __shared__ unsigned long long top[];
    unsigned *key = (unsigned *)(top + blockDim.x);
    unsigned t = threadIdx.x, lists = blockDim.x, used = 0, many = (unsigned)n;
    for (unsigned i = t; i < many; i += lists) {
        unsigned x = in[i], j = i;
        while (j >= lists && key[j - lists] > x) {
            key[j] = key[j - lists];
            j -= lists;
        }
        key[j] = x;
    }
    for (unsigned k = 0; k < many; k++) {
        unsigned at = t + used * lists;
        unsigned long long mine = at < many ? (unsigned long long)key[at] * 1024 + t : 1ull << 60;
        top[t] = mine;
        __syncthreads();
        for (unsigned s = 1; s < lists; s *= 2) {
            unsigned long long theirs = ~0ull;
            if (t % (2 * s) == 0 && t + s < lists)
                theirs = top[t + s];
            if (theirs < top[t])
                top[t] = theirs;
            __syncthreads();
        }
        if (top[0] == mine) {
            out[k] = key[at];
            used++;
        }
        __syncthreads();
    }
}
