/* wrong-size: the copies are given the number of elements. They want bytes.
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
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, wrong = 0;
    size_t bytes = n * sizeof(float);
    float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes), *d_x, *d_y;
    for (int i = 0; i < n; i++) {
        x[i] = i % 1000;
        y[i] = 1;
    }
    CHECK(cudaMalloc(&d_x, bytes));
    CHECK(cudaMalloc(&d_y, bytes));
    CHECK(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice));
    saxpy<<<(n + 255) / 256, 256>>>(2, d_x, d_y, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(y, d_y, n, cudaMemcpyDeviceToHost)); /* n bytes: a quarter of the array */

    for (int i = 0; i < n; i++)
        wrong += y[i] != 2 * x[i] + 1;
    printf("%d of %d wrong; y[0] = %g, y[%d] = %g\n", wrong, n, y[0], n - 1, y[n - 1]);
    cudaFree(d_x);
    cudaFree(d_y);
    free(x);
    free(y);
    return wrong != 0;
}
