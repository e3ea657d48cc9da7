/* guard: the last block may have more threads than numbers are left. They do nothing. */
extern "C" __global__ void
number(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i;
}
