/* host-clock: the same kernel timed by the host's clock, twice: without waiting for the card, and
 * with. The first number is what it costs to ask.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * t.tv_sec + t.tv_nsec / 1000.0; /* microseconds */
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    float *x, first;
    double began, asked, done;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMemset(x, 0, n * sizeof(float)));
    CHECK(cudaDeviceSynchronize()); /* what came before must not be in the time */

    began = now();
    work<<<(n + 255) / 256, 256>>>(x, n, 250);
    asked = now() - began; /* the trap: the kernel has hardly begun */
    CHECK(cudaDeviceSynchronize());
    done = now() - began;

    CHECK(cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost));
    printf("without a wait: %.1f us\n", asked);
    printf("with a wait: %.1f us\n", done);
    return first != 250 || done <= asked;
}
