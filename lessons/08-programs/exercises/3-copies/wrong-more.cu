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

__global__ void odd(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i] + 1;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), *d_x, *d_y;
    size_t bytes = n * sizeof(int);
    int *x = (int *)calloc(1 << 20, 4), *y = (int *)calloc(n, sizeof(int));
    long long sum = 0;
    for (int i = 0; i < n; i++)
        x[i] = i;

    CHECK(cudaMalloc((void **)&d_x, 4 << 20));
    CHECK(cudaMalloc((void **)&d_y, bytes));
    CHECK(cudaMemcpy(d_x, x, 1 << 20, cudaMemcpyHostToDevice));
    odd<<<(n + 255) / 256, 256>>>(d_x, d_y, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost));

    for (int i = 0; i < n; i++)
        sum += y[i];
    printf("sum %lld, last %d\n", sum, y[n - 1]);
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    free(x);
    free(y);
    return 0;
}
