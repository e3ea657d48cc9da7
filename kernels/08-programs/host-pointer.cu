/* host-pointer: the kernel gets x, the host's array, in place of d_x. A pointer is only a number: the
 * card looks for that address in its own memory.
 */
#include <stdio.h>
#include <stdlib.h>

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    size_t bytes = n * sizeof(float);
    float *x = (float *)calloc(n, sizeof(float)), *d_y;
    cudaMalloc(&d_y, bytes);
    cudaMemset(d_y, 0, bytes);
    saxpy<<<(n + 255) / 256, 256>>>(2, x, d_y, n); /* x, where d_x was meant */
    printf("launch: %s\n", cudaGetErrorString(cudaGetLastError()));
    printf("wait: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("next call: %s\n", cudaGetErrorString(cudaMemset(d_y, 0, bytes)));
    free(x);
    return 1;
}
