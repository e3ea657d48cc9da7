/* Exercise 8.1 by someone whose kernel does not end. */
#include <stdio.h>
#include <stdlib.h>

__global__ void line(int *y)
{
    volatile int go = 1;
    while (go)
        y[0] = 1;
}

int main(int argc, char **argv)
{
    int *y;
    cudaMalloc((void **)&y, 4);
    line<<<1, 32>>>(y);
    return cudaDeviceSynchronize() != cudaSuccess;
}
