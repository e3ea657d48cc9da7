/* no-check: no call is checked. Blocks of 2048 threads do not exist, so the launch is refused, and the
 * program goes on as if it had been done.
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
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, wrong = 0;
    size_t bytes = n * sizeof(float);
    float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes), *d_x, *d_y;
    for (int i = 0; i < n; i++) {
        x[i] = i % 1000;
        y[i] = 1;
    }
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);
    saxpy<<<(n + 2047) / 2048, 2048>>>(2, d_x, d_y, n);
    cudaDeviceSynchronize();
    cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost);

    for (int i = 0; i < n; i++)
        wrong += y[i] != 2 * x[i] + 1;
    printf("%d of %d wrong\n", wrong, n);
    cudaFree(d_x);
    cudaFree(d_y);
    free(x);
    free(y);
    return wrong != 0;
}
