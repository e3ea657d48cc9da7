#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                    \
    do {                                                               \
        cudaError_t code = (call);                                     \
        if (code != cudaSuccess) {                                     \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(code)); \
            return 1;                                                  \
        }                                                              \
    } while (0)

__global__ void increment(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] + 1;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), threads = atoi(argv[2]), *d_x;
    size_t bytes = n * sizeof(int);
    int *x = (int *)malloc(bytes);
    long long sum = 0;
    for (int i = 0; i < n; i++)
        x[i] = i;

    CHECK(cudaMalloc((void **)&d_x, bytes));
    CHECK(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice));
    increment<<<(n + threads - 1) / threads, threads>>>(d_x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(x, d_x, bytes, cudaMemcpyDeviceToHost));

    for (int i = 0; i < n; i++)
        sum += x[i];
    printf("%d numbers, sum %lld\n", n, sum);
    CHECK(cudaFree(d_x));
    free(x);
    return 0;
}
