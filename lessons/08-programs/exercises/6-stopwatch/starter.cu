/* Exercise 8.6: how long does the kernel take?
 *
 * starter n rounds
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), rounds = atoi(argv[2]);
    size_t bytes = n * sizeof(float);
    float *x = (float *)malloc(bytes), *d_x;
    double sum = 0;
    CHECK(cudaMalloc((void **)&d_x, bytes));

    double begin = now();
    chain<<<(n + 127) / 128, 128>>>(d_x, n, rounds);
    double end = now();
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(x, d_x, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        sum += x[i];
    printf("sum %.0f\n", sum);
    printf("kernel %.0f ns\n", end - begin);
    CHECK(cudaFree(d_x));
    free(x);
    return 0;
}
