/* hello: every thread writes its own number to its own place. */
extern "C" __global__ void
hello(int *out)
{
    int i = threadIdx.x;
    out[i] = i;
}
