extern "C" __global__ void split(const unsigned *in, unsigned *out, int n, int bit)
{
    int tid = threadIdx.x, zeros = 0, all = 0;
    if (tid >= n)
        return;
    for (int i = 0; i < n; i++) {
        int zero = !(in[i] >> bit & 1);
        all += zero;
        zeros += i < tid ? zero : 0;
    }
    unsigned key = in[tid];
    out[key >> bit & 1 ? all + tid - zeros : zeros] = key;
}
