extern "C" __global__ void merge(const unsigned *in, unsigned *out, int n, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int begin = i / run * run, pair = i / (2 * run) * (2 * run);
    bool first = begin == pair;
    int other = first ? min(pair + run, n) : pair; /* the other run, and its end */
    int end = min(other + run, n);
    unsigned key = in[i];
    int low = other, high = end - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (first ? in[middle] < key : in[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    out[pair + (i - begin) + (low - other)] = key;
}
