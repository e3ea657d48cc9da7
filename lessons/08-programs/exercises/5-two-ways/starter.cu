/* Exercise 8.5: 1 is added `rounds` times to each of n numbers.
 *
 * starter n rounds
 */
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

    CHECK(cudaMemcpyAsync(d_x, x, bytes, cudaMemcpyHostToDevice, 0));
    add<<<(n + 255) / 256, 256>>>(d_x, n, rounds);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(x, d_x, bytes, cudaMemcpyDeviceToHost, 0));
    CHECK(cudaDeviceSynchronize());

    for (int i = 0; i < n; i++)
        sum += x[i];
    printf("%d numbers, sum %.0f\n", n, sum);
    CHECK(cudaFree(d_x));
    CHECK(cudaFreeHost(x));
    return 0;
}
