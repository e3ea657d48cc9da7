/* graph: 10 times the same 50 small kernels: launched one by one, or recorded once as a graph that one call
 * launches.
 *
 * A launch costs the host some microseconds. Where kernels are short, the card waits for the host.
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

__global__ void add_one(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}

enum { KERNELS = 50, TIMES = 10 };

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4096, use_graph = argc > 2 ? atoi(argv[2]) : 1;
    float *x, first, ms;
    cudaStream_t s;
    cudaEvent_t start, stop;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMemset(x, 0, n * sizeof(float)));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    if (use_graph) {
        CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); /* from here on nothing runs: it is noted */
        for (int i = 0; i < KERNELS; i++)
            add_one<<<(n + 255) / 256, 256, 0, s>>>(x, n);
        CHECK(cudaStreamEndCapture(s, &graph));
        CHECK(cudaGraphInstantiate(&ready, graph, 0));
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(start, s));
    for (int t = 0; t < TIMES; t++)
        if (use_graph)
            CHECK(cudaGraphLaunch(ready, s));
        else
            for (int i = 0; i < KERNELS; i++)
                add_one<<<(n + 255) / 256, 256, 0, s>>>(x, n);
    CHECK(cudaEventRecord(stop, s));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost));
    printf("%d kernels by %s: %.1f us, %.2f us each\n", TIMES * KERNELS,
           use_graph ? "10 launches of a graph" : "500 launches", 1000 * ms, 1000 * ms / (TIMES * KERNELS));
    return first != TIMES * KERNELS;
}
