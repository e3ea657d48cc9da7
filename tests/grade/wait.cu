/* Exercise 1.1 by someone who waits for what nobody does. */
extern "C" __global__ void square(const int *x, int *y, int n)
{
    if (threadIdx.x < 7)
        __syncthreads();
    else
        while (((volatile int *)y)[n - 1] != 7)
            ;
}
