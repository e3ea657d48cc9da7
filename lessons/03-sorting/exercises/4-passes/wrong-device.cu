__device__ unsigned key[4096], spare[4096];

extern "C" __global__ void sort_columns(const unsigned *in, int n, unsigned *out)
{
    int tid = threadIdx.x, lists = blockDim.x;
    for (int i = tid; i < n; i += lists)
        key[i] = in[i];
    for (int bit = 0; bit < 32; bit++) {
        int zeros = tid, ones = tid;
        for (int i = tid; i < n; i += lists) {
            unsigned x = key[i];
            if (x >> bit & 1) {
                spare[ones] = x;
                ones += lists;
            } else {
                key[zeros] = x;
                zeros += lists;
            }
        }
        for (int i = tid; i < ones; i += lists) {
            key[zeros] = spare[i];
            zeros += lists;
        }
    }
    for (int i = tid; i < n; i += lists)
        out[i] = key[i];
}
