/* Each block says so: what a kernel prints is shown with the step. */
#include <cstdio>

extern "C" __global__ void hello(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
    if (threadIdx.x == 0)
        printf("block %d of %d\n", blockIdx.x, gridDim.x);
}
