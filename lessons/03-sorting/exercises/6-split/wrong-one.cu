extern "C" __global__ void split(const unsigned *in, unsigned *out, int n, int bit)
{
    if (threadIdx.x)
        return;
    int to = 0;
    for (int wanted = 0; wanted < 2; wanted++)
        for (int i = 0; i < n; i++)
            if ((in[i] >> bit & 1) == wanted)
                out[to++] = in[i];
}
