extern "C" __global__ void sort(const unsigned *in, int n, unsigned *out)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int place = 0;
        for (int k = 0; k < n; k++)
            place += in[k] < in[i] || (in[k] == in[i] && k < i);
        out[place] = in[i];
    }
}
