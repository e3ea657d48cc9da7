/* cudaLaunchKernel is a call, and says so by itself. */
#include <stdio.h>
#include <stdlib.h>

__global__ void add_one(int *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i]++;
}

static void check(cudaError_t code)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "error: %s\n", cudaGetErrorString(code));
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), threads = atoi(argv[2]);
    int *here = (int *)malloc(sizeof(int) * n), *there;
    long long sum = 0;
    for (int i = 0; i < n; i++)
        here[i] = i;
    check(cudaMalloc((void **)&there, sizeof(int) * n));
    check(cudaMemcpy(there, here, sizeof(int) * n, cudaMemcpyHostToDevice));
    add_one<<<n / threads + 1, threads>>>(there, n);
    check(cudaPeekAtLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(here, there, sizeof(int) * n, cudaMemcpyDeviceToHost));
    while (n--)
        sum += here[n];
    printf("%d numbers, sum %lld\n", atoi(argv[1]), sum);
    return 0;
}
