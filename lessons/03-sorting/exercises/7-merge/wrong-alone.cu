extern "C" __global__ void merge(const unsigned *in, unsigned *out, int n, int run)
{
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair < n && pair % (2 * run) == 0) {
        int a = pair, b = min(pair + run, n), a_end = b, b_end = min(pair + 2 * run, n);
        for (int to = pair; to < b_end; to++)
            out[to] = b == b_end || (a < a_end && in[a] <= in[b]) ? in[a++] : in[b++];
    }
}
