/* events: a kernel timed by the card. An event is a mark in the card's work: the card notes when it
 * comes past it. The host asks afterwards how far two marks are apart.
 */
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                      \
    do {                                                                 \
        cudaError_t code = (call);                                       \
        if (code != cudaSuccess) {                                       \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(code)); \
            return 1;                                                    \
        }                                                                \
    } while (0)

/* Some arithmetic on each number, `rounds` times: the answer is x + rounds. */
__global__ void work(float *x, int n, int rounds)
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
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    float *x, first, ms;
    cudaEvent_t start, stop;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMemset(x, 0, n * sizeof(float)));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaEventRecord(start, 0));
    work<<<(n + 255) / 256, 256>>>(x, n, 250);
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop)); /* the host waits until the card has passed the mark */
    CHECK(cudaEventElapsedTime(&ms, start, stop));

    CHECK(cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost));
    printf("between the events: %.1f us\n", 1000 * ms);
    return first != 250 || ms <= 0;
}
