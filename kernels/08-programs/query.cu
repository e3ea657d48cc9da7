/* query: the host does work of its own until the card is done, and asks now and then. cudaEventQuery
 * never waits: it says cudaErrorNotReady, which is no error, or cudaSuccess.
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
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, asked = 0;
    float *x, first;
    cudaEvent_t done;
    cudaError_t state;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMemset(x, 0, n * sizeof(float)));
    CHECK(cudaEventCreate(&done));
    work<<<(n + 255) / 256, 256>>>(x, n, 500);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(done, 0));
    while ((state = cudaEventQuery(done)) == cudaErrorNotReady)
        asked++; /* here a program would do something useful */
    CHECK(state);
    CHECK(cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost));
    printf("asked before it was ready: %s\n", asked ? "yes" : "no");
    printf("ready: x[0] = %g\n", first);
    return first != 500;
}
