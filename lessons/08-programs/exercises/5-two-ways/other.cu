/* A stream for each of six pieces; first all copies there, then all kernels, then all copies back. */
#include <stdio.h>
#include <stdlib.h>

enum { PIECES = 6 };

static void must(cudaError_t code)
{
    if (code == cudaSuccess)
        return;
    printf("%s\n", cudaGetErrorString(code));
    exit(1);
}

__global__ void count_up(float *x, int n, int rounds)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float sum = x[i];
#pragma unroll 1
        while (rounds-- > 0)
            sum = sum + 1.0f;
        x[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), rounds = atoi(argv[2]), begin[PIECES + 1];
    float *here, *there;
    double sum = 0;
    cudaStream_t of[PIECES];
    must(cudaHostAlloc((void **)&here, n * sizeof(float), 0));
    must(cudaMalloc((void **)&there, n * sizeof(float)));
    for (int i = 0; i < n; i++)
        here[i] = i;
    for (int p = 0; p <= PIECES; p++)
        begin[p] = (int)((long long)n * p / PIECES);
    for (int p = 0; p < PIECES; p++)
        must(cudaStreamCreateWithFlags(&of[p], cudaStreamNonBlocking));
    for (int p = 0; p < PIECES; p++) {
        size_t bytes = (begin[p + 1] - begin[p]) * sizeof(float);
        must(cudaMemcpyAsync(there + begin[p], here + begin[p], bytes, cudaMemcpyHostToDevice, of[p]));
    }
    for (int p = 0; p < PIECES; p++) {
        int count = begin[p + 1] - begin[p];
        count_up<<<count / 128 + 1, 128, 0, of[p]>>>(there + begin[p], count, rounds);
    }
    must(cudaGetLastError());
    for (int p = 0; p < PIECES; p++) {
        size_t bytes = (begin[p + 1] - begin[p]) * sizeof(float);
        must(cudaMemcpyAsync(here + begin[p], there + begin[p], bytes, cudaMemcpyDeviceToHost, of[p]));
    }
    for (int p = 0; p < PIECES; p++)
        must(cudaStreamSynchronize(of[p]));
    for (int i = 0; i < n; i++)
        sum += here[i];
    printf("%d numbers, sum %.0f\n", n, sum);
    return 0;
}
