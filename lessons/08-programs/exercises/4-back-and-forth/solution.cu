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

__global__ void add_neighbours(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[(i + 1) % n] + x[(i + n - 1) % n];
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), steps = atoi(argv[2]), *d_x, *d_y;
    size_t bytes = n * sizeof(int);
    int *x = (int *)malloc(bytes);
    long long sum = 0;
    for (int i = 0; i < n; i++)
        x[i] = i;

    CHECK(cudaMalloc((void **)&d_x, bytes));
    CHECK(cudaMalloc((void **)&d_y, bytes));
    CHECK(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        add_neighbours<<<(n + 255) / 256, 256>>>(d_x, d_y, n);
        CHECK(cudaGetLastError());
        int *t = d_x;
        d_x = d_y;
        d_y = t;
    }
    CHECK(cudaMemcpy(x, d_x, bytes, cudaMemcpyDeviceToHost));

    for (int i = 0; i < n; i++)
        sum += x[i];
    printf("%d numbers after %d steps, sum %lld\n", n, steps, sum);
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    free(x);
    return 0;
}
