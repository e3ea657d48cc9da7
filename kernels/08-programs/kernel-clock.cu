/* kernel-clock: the kernel reads the clock of its multiprocessor, at its start and at its end. The
 * time is in cycles, of one block, and has nothing of the launch in it.
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

__global__ void work(float *x, int n, int rounds, long long *took)
{
    long long start = clock64();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = x[i];
#pragma unroll 1
        for (int k = 0; k < rounds; k++)
            sum += 1;
        x[i] = sum;
    }
    if (threadIdx.x == 0)
        took[blockIdx.x] = clock64() - start;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, blocks = (n + 255) / 256, khz;
    long long *d_took, *took = (long long *)malloc(blocks * sizeof(long long)), least, most;
    float *x, first;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMemset(x, 0, n * sizeof(float)));
    CHECK(cudaMalloc(&d_took, blocks * sizeof(long long)));
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    work<<<blocks, 256>>>(x, n, 250, d_took);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(took, d_took, blocks * sizeof(long long), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost));
    least = most = took[0];
    for (int b = 1; b < blocks; b++) {
        least = took[b] < least ? took[b] : least;
        most = took[b] > most ? took[b] : most;
    }
    printf("a block took %lld to %lld cycles\n", least, most);
    printf("at %d MHz: %.1f to %.1f us\n", khz / 1000, least * 1000.0 / khz, most * 1000.0 / khz);
    free(took);
    return first != 250 || least <= 0;
}
