extern "C" __global__ void sort_columns(const unsigned *in, int n, unsigned *out)
{
    int tid = threadIdx.x, lists = blockDim.x;
    extern __shared__ unsigned spare[];
    for (int i = tid; i < n; i += lists)
        out[i] = in[i];
    for (int bit = 0; bit < 32; bit++) {
        int zeros = tid, ones = tid;
        for (int i = tid; i < n; i += lists) {
            unsigned x = out[i];
            if (x >> bit & 1) {
                spare[ones] = x;
                ones += lists;
            } else {
                out[zeros] = x;
                zeros += lists;
            }
        }
        for (int i = tid; i < ones; i += lists) {
            out[zeros] = spare[i];
            zeros += lists;
        }
    }
}
