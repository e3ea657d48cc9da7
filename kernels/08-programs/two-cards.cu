/* two-cards: half of the array on each of two cards, which work at the same time; then one card's half
 * goes straight to the other, and back from there.
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
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, half = n / 2, cards, peer = 0, wrong = 0;
    float *x, *d[2], *gathered;
    cudaStream_t s[2];
    CHECK(cudaGetDeviceCount(&cards));
    if (cards < 2) {
        printf("there is 1 card\n");
        return 1;
    }
    n = 2 * half;
    CHECK(cudaMallocHost(&x, n * sizeof(float)));
    for (int i = 0; i < n; i++)
        x[i] = i % 1000;
    for (int k = 0; k < 2; k++) {
        CHECK(cudaSetDevice(k)); /* what follows is about card k */
        CHECK(cudaStreamCreate(&s[k]));
        CHECK(cudaMalloc(&d[k], half * sizeof(float)));
    }
    for (int k = 0; k < 2; k++) { /* nothing here waits, so both cards work at once */
        CHECK(cudaSetDevice(k));
        CHECK(cudaMemcpyAsync(d[k], x + k * half, half * sizeof(float), cudaMemcpyHostToDevice, s[k]));
        work<<<(half + 255) / 256, 256, 0, s[k]>>>(d[k], half, 500);
        CHECK(cudaGetLastError());
    }
    for (int k = 0; k < 2; k++) {
        CHECK(cudaSetDevice(k));
        CHECK(cudaStreamSynchronize(s[k]));
    }
    CHECK(cudaDeviceCanAccessPeer(&peer, 0, 1));
    CHECK(cudaSetDevice(0));
    if (peer)
        CHECK(cudaDeviceEnablePeerAccess(1, 0)); /* so that the copy does not go through the host */
    CHECK(cudaMalloc(&gathered, n * sizeof(float)));
    CHECK(cudaMemcpy(gathered, d[0], half * sizeof(float), cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyPeer(gathered + half, 0, d[1], 1, half * sizeof(float)));
    CHECK(cudaMemcpy(x, gathered, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += x[i] != i % 1000 + 500;
    printf("%d cards, peer access %s\n", cards, peer ? "yes" : "no");
    printf("%d of %d wrong\n", wrong, n);
    return wrong != 0;
}
