#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                           \
    do {                                                      \
        cudaError_t code = (call);                            \
        if (code != cudaSuccess) {                            \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(code)); \
            return 1;                                         \
        }                                                     \
    } while (0)

__global__ void line(int *y, int n, int a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * i + 1;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), a = atoi(argv[2]), *d_y;
    size_t bytes = n * sizeof(int);
    int *y = (int *)malloc(bytes + 1);
    long long sum = 0;

    CHECK(cudaMalloc(&d_y, bytes + 1));
    line<<<1, 1>>>(d_y, 0, a);
    CHECK(cudaGetLastError());
    sum = (long long)a * n * (n - 1) / 2 + n;
    printf("%d numbers, sum %lld\n", n, sum);
    CHECK(cudaFree(d_y));
    free(y);
    return 0;
}
