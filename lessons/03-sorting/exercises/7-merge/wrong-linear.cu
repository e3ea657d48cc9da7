extern "C" __global__ void merge(const unsigned *in, unsigned *out, int n, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int begin = i / run * run, pair = i / (2 * run) * (2 * run);
    bool first = begin == pair;
    int other = first ? min(pair + run, n) : pair, end = min(other + run, n), at = other;
    while (at < end && (first ? in[at] < in[i] : in[at] <= in[i]))
        at++;
    out[pair + (i - begin) + (at - other)] = in[i];
}
