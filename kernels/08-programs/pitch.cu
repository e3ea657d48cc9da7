/* pitch: a matrix of 1000 columns, whose rows begin at addresses that suit the card. cudaMallocPitch
 * chooses the distance from row to row, and cudaMemcpy2D knows the distance on either side.
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

/* Each block adds up one row. */
__global__ void rows(const char *m, size_t pitch, int columns, float *sums)
{
    const float *row = (const float *)(m + blockIdx.x * pitch);
    float sum = 0;
    __shared__ float part[256];
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += row[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

int main(int argc, char **argv)
{
    int columns = 1000, height = (argc > 1 ? atoi(argv[1]) : 1 << 20) / columns + 1, wrong = 0;
    size_t row = columns * sizeof(float), pitch;
    float *m = (float *)malloc(height * row), *sums = (float *)malloc(height * sizeof(float)), *d_sums;
    char *d_m;
    for (int i = 0; i < height * columns; i++)
        m[i] = i % 7;
    CHECK(cudaMallocPitch(&d_m, &pitch, row, height));
    CHECK(cudaMalloc(&d_sums, height * sizeof(float)));
    CHECK(cudaMemcpy2D(d_m, pitch, m, row, row, height, cudaMemcpyHostToDevice));
    rows<<<height, 256>>>(d_m, pitch, columns, d_sums);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums, d_sums, height * sizeof(float), cudaMemcpyDeviceToHost));
    for (int r = 0; r < height; r++) {
        float sum = 0;
        for (int i = 0; i < columns; i++)
            sum += m[r * columns + i];
        wrong += sum != sums[r];
    }
    printf("rows of %d bytes, %d bytes apart\n", (int)row, (int)pitch);
    printf("%d of %d rows wrong\n", wrong, height);
    free(m);
    free(sums);
    return wrong != 0 || pitch < row;
}
