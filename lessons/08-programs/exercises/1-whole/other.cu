/* A grid of fixed size whose threads go on by its width; errors are looked at by a function. */
#include <stdio.h>
#include <stdlib.h>

static void must(cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return;
    printf("%s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}

__global__ void fill(int *y, int n, int a)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * i + 1;
}

int main(int argc, char **argv)
{
    int n, a, cards;
    int *there, *here;
    long long sum = 0;
    if (argc != 3)
        return 2;
    n = atoi(argv[1]);
    a = atoi(argv[2]);
    must(cudaGetDeviceCount(&cards), "cards");
    must(cudaMallocHost((void **)&here, n * sizeof(int) + 4), "here");
    must(cudaMalloc((void **)&there, n * sizeof(int) + 4), "there");
    fill<<<64, 1024>>>(there, n, a);
    must(cudaGetLastError(), "launch");
    must(cudaMemcpyAsync(here, there, n * sizeof(int), cudaMemcpyDeviceToHost, 0), "copy");
    must(cudaDeviceSynchronize(), "wait");
    for (int i = n; i-- > 0;)
        sum += here[i];
    printf("%d numbers, sum %lld\n", n, sum);
    return 0;
}
