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

__global__ void add(float *x, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = x[i];
#pragma unroll 1
        for (int k = 0; k < rounds; k++)
            sum += 1;
        x[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), rounds = atoi(argv[2]);
    size_t bytes = n * sizeof(float);
    float *x, *d_x;
    double sum = 0;
    CHECK(cudaMallocHost((void **)&x, bytes));
    CHECK(cudaMalloc((void **)&d_x, bytes));
    for (int i = 0; i < n; i++)
        x[i] = i;

    int part = (n + 7) / 8;
    cudaStream_t stream[4];
    for (int k = 0; k < 4; k++)
        CHECK(cudaStreamCreate(&stream[k]));
    for (int from = 0, p = 0; from < n; from += part, p++) {
        int count = n - from < part ? n - from : part;
        cudaStream_t s = stream[p % 4];
        CHECK(cudaMemcpy(d_x + from, x + from, count * sizeof(float), cudaMemcpyHostToDevice));
        add<<<(count + 255) / 256, 256, 0, s>>>(d_x + from, count, rounds);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(x + from, d_x + from, count * sizeof(float), cudaMemcpyDeviceToHost));
    }
    CHECK(cudaDeviceSynchronize());

    for (int i = 0; i < n; i++)
        sum += x[i];
    printf("%d numbers, sum %.0f\n", n, sum);
    CHECK(cudaFree(d_x));
    CHECK(cudaFreeHost(x));
    return 0;
}
