/* pointers: a kernel returns nothing. It gets addresses in the card's memory and writes there. */
extern "C" __global__ void
twice(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}
