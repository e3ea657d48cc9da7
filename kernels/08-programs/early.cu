/* early: the host reads an answer that the kernel has not written yet.
 *
 * A launch only asks: the host goes on at once, while the card works. To make "too early" the same on
 * every computer, this kernel cannot end before the host has said go.
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

__global__ void answer(volatile int *go, int *y)
{
    while (*go == 0) {
    }
    *y = 42;
}

int main(void)
{
    int *go, *y; /* memory of the host that kernels can reach too */
    CHECK(cudaHostAlloc(&go, sizeof *go, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&y, sizeof *y, cudaHostAllocMapped));
    *go = 0;
    *y = 0;
    answer<<<1, 1>>>(go, y);
    CHECK(cudaGetLastError());
    int seen = *(volatile int *)y; /* too early */
    *(volatile int *)go = 1;
    CHECK(cudaDeviceSynchronize());
    printf("y = %d\n", seen);
    cudaFreeHost(go);
    cudaFreeHost(y);
    return seen != 42;
}
