extern "C" __global__ void merge(const unsigned *in, unsigned *out, int n, int run)
{
    if (blockIdx.x || threadIdx.x)
        return;
    for (int pair = 0; pair < n; pair += 2 * run) {
        int a = pair, b = min(pair + run, n), a_end = b, b_end = min(pair + 2 * run, n);
        for (int to = pair; to < b_end; to++)
            out[to] = b == b_end || (a < a_end && in[a] <= in[b]) ? in[a++] : in[b++];
    }
}
