/* An array of two, and a kernel with a share for each thread. */
#include <stdio.h>
#include <stdlib.h>

__global__ void step_of(const int *from, int *to, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int before = i ? i - 1 : n - 1, after = i + 1 < n ? i + 1 : 0;
        to[i] = from[before] + from[after];
    }
}

static int failed(cudaError_t code)
{
    if (code != cudaSuccess)
        fprintf(stderr, "%s\n", cudaGetErrorString(code));
    return code != cudaSuccess;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), steps = atoi(argv[2]), *ring[2];
    int *here = (int *)malloc(n * sizeof(int));
    long long sum = 0;
    for (int i = n; i-- > 0;)
        here[i] = i;
    for (int k = 0; k < 2; k++)
        if (failed(cudaMalloc((void **)&ring[k], n * sizeof(int))))
            return 1;
    if (failed(cudaMemcpyAsync(ring[0], here, n * sizeof(int), cudaMemcpyHostToDevice, 0)))
        return 1;
    for (int s = 0; s < steps; s++)
        step_of<<<n / 128 + 1, 128>>>(ring[s % 2], ring[1 - s % 2], n);
    if (failed(cudaGetLastError()))
        return 1;
    if (failed(cudaMemcpy(here, ring[steps % 2], n * sizeof(int), cudaMemcpyDeviceToHost)))
        return 1;
    for (int i = 0; i < n; i++)
        sum += here[i];
    printf("%d numbers after %d steps, sum %lld\n", n, steps, sum);
    return 0;
}
