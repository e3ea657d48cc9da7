/* managed: memory with one address for the host and the card. There is no copy in the program: pages
 * move to whoever touches them, when they are touched. A touch of a page that is elsewhere is a page
 * fault; cudaMemPrefetchAsync moves pages before anybody faults.
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

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, prefetch = argc > 2 ? atoi(argv[2]) : 0, wrong = 0;
    size_t bytes = n * sizeof(float);
    float *x, *y;
    CHECK(cudaMallocManaged(&x, bytes, cudaMemAttachGlobal));
    CHECK(cudaMallocManaged(&y, bytes, cudaMemAttachGlobal));
    for (int i = 0; i < n; i++) {
        x[i] = i % 1000;
        y[i] = 1;
    }
    if (prefetch) {
#if CUDART_VERSION >= 13000
        cudaMemLocation card = {cudaMemLocationTypeDevice, 0};
        CHECK(cudaMemPrefetchAsync(x, bytes, card, 0, 0));
        CHECK(cudaMemPrefetchAsync(y, bytes, card, 0, 0));
#else
        CHECK(cudaMemPrefetchAsync(x, bytes, 0, 0));
        CHECK(cudaMemPrefetchAsync(y, bytes, 0, 0));
#endif
    }
    saxpy<<<(n + 255) / 256, 256>>>(2, x, y, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize()); /* without it the host would read while the card writes */
    for (int i = 0; i < n; i++)
        wrong += y[i] != 2 * x[i] + 1;
    printf("%d of %d wrong, and no cudaMemcpy\n", wrong, n);
    cudaFree(x);
    cudaFree(y);
    return wrong != 0;
}
