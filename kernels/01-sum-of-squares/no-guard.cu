/* no-guard: WRONG where n is no multiple of the block. The last threads write past the end. */
extern "C" __global__ void
number(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
}
