/* pinned: a copy to the card and back, from ordinary memory or from pinned memory.
 *
 * The card's copy engine wants memory that stays where it is. Ordinary memory may be moved by the
 * system ("pageable"), so the driver copies it piece by piece through a buffer of its own. Pinned memory
 * (cudaMallocHost) needs no such detour.
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

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, pinned = argc > 2 ? atoi(argv[2]) : 1, wrong = 0;
    size_t bytes = n * sizeof(float);
    float *x, *d_x, to, back;
    cudaEvent_t a, b, c;
    if (pinned)
        CHECK(cudaMallocHost(&x, bytes));
    else
        x = (float *)malloc(bytes);
    for (int i = 0; i < n; i++)
        x[i] = i % 1000;
    CHECK(cudaMalloc(&d_x, bytes));
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    CHECK(cudaEventCreate(&c));
    CHECK(cudaEventRecord(a, 0));
    CHECK(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaEventRecord(b, 0));
    CHECK(cudaMemcpy(x, d_x, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaEventRecord(c, 0));
    CHECK(cudaEventSynchronize(c));
    CHECK(cudaEventElapsedTime(&to, a, b));
    CHECK(cudaEventElapsedTime(&back, b, c));
    for (int i = 0; i < n; i++)
        wrong += x[i] != i % 1000;
    printf("%s: to the card %.1f GB/s, back %.1f GB/s\n", pinned ? "pinned" : "pageable", bytes / to / 1e6,
           bytes / back / 1e6);
    if (pinned)
        cudaFreeHost(x);
    else
        free(x);
    return wrong != 0;
}
