extern __shared__ unsigned key[];

extern "C" __global__ void sort_columns(const unsigned *in, int n, unsigned *out)
{
    int tid = threadIdx.x, lists = blockDim.x;
    unsigned *spare = key + n;
    for (int i = tid; i < n; i += lists)
        key[i] = in[i], spare[i] = 0;
    for (int bit = 0; bit < 32; bit++) {
        int zeros = tid, ones = tid;
        for (int i = tid; i < n; i += lists) {
            unsigned x = key[i];
            if (x >> bit & 1) {
                atomicExch(spare + ones, x);
                ones += lists;
            } else {
                atomicExch(key + zeros, x);
                zeros += lists;
            }
        }
        for (int i = tid; i < ones; i += lists) {
            atomicExch(key + zeros, spare[i]);
            zeros += lists;
        }
    }
    for (int i = tid; i < n; i += lists)
        out[i] = key[i];
}
