/* streams: the array goes to the card, through a kernel and back, in `parts` pieces, each piece in one
 * of `streams` streams.
 *
 * What is in one stream happens in order. What is in different streams may happen at once: the card
 * has an engine for copies to it, one for copies back, and its multiprocessors. Pinned memory is needed
 * for that: a copy of ordinary memory keeps the host busy.
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
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, streams = argc > 2 ? atoi(argv[2]) : 4;
    int pinned = argc > 3 ? atoi(argv[3]) : 1, parts = 8, part = (n + parts - 1) / parts, wrong = 0;
    size_t bytes = n * sizeof(float);
    float *x, *d_x;
    cudaStream_t s[8];
    if (streams > 8)
        streams = 8;
    if (pinned)
        CHECK(cudaMallocHost(&x, bytes));
    else
        x = (float *)malloc(bytes);
    for (int i = 0; i < n; i++)
        x[i] = i % 1000;
    CHECK(cudaMalloc(&d_x, bytes));
    for (int i = 0; i < streams; i++)
        CHECK(cudaStreamCreate(&s[i]));

    for (int p = 0; p < parts; p++) {
        int from = p * part, count = n - from < part ? n - from : part;
        cudaStream_t st = s[p % streams];
        if (count <= 0)
            break;
        CHECK(cudaMemcpyAsync(d_x + from, x + from, count * sizeof(float), cudaMemcpyHostToDevice, st));
        work<<<(count + 255) / 256, 256, 0, st>>>(d_x + from, count, 500);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(x + from, d_x + from, count * sizeof(float), cudaMemcpyDeviceToHost, st));
    }
    CHECK(cudaDeviceSynchronize());

    for (int i = 0; i < n; i++)
        wrong += x[i] != i % 1000 + 500;
    printf("%d parts in %d stream%s: %d of %d wrong\n", parts, streams, streams == 1 ? "" : "s", wrong, n);
    for (int i = 0; i < streams; i++)
        CHECK(cudaStreamDestroy(s[i]));
    if (pinned)
        cudaFreeHost(x);
    else
        free(x);
    return wrong != 0;
}
