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

__global__ void chain(float *x, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = i;
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
    float *x = (float *)malloc(bytes), *d_x;
    double sum = 0;
    cudaEvent_t begin, end;
    float ms = 0;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMalloc((void **)&d_x, bytes));

    CHECK(cudaEventRecord(begin, 0));
    chain<<<(n + 127) / 128, 128>>>(d_x, n, rounds);
    CHECK(cudaEventRecord(end, 0));
    CHECK(cudaGetLastError());
    CHECK(cudaEventElapsedTime(&ms, begin, end));

    CHECK(cudaMemcpy(x, d_x, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        sum += x[i];
    printf("sum %.0f\n", sum);
    printf("kernel %.0f ns\n", ms * 1e6);
    CHECK(cudaFree(d_x));
    free(x);
    return 0;
}
