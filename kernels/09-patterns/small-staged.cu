/* small-staged: a warp fetches 32 matrices together; then each lane works on
 * one of them alone. Blocks of one warp.
 *
 * A matrix has 64 words, so the same element of all 32 would lie in one bank.
 * With 65 words for each they lie in 32.
 */
#define SIDE 8
#define LONG (SIDE * SIDE + 1)

extern "C" __global__ void
multiply(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int count)
{
    __shared__ float matrix[32 * LONG], vector[32 * (SIDE + 1)];
    int lane = threadIdx.x, first = blockIdx.x * 32;
    int here = min(32, count - first);
    a += first * SIDE * SIDE;
    x += first * SIDE;
    y += first * SIDE;
#pragma unroll 8
    for (int k = lane; k < here * SIDE * SIDE; k += 32)
        matrix[k / (SIDE * SIDE) * LONG + k % (SIDE * SIDE)] = a[k];
#pragma unroll 1
    for (int k = lane; k < here * SIDE; k += 32)
        vector[k / SIDE * (SIDE + 1) + k % SIDE] = x[k];
    __syncthreads();

    float sum[SIDE] = {0};
    if (lane < here)
#pragma unroll
        for (int k = 0; k < SIDE; k++)
#pragma unroll
            for (int row = 0; row < SIDE; row++)
                sum[row] += matrix[lane * LONG + row * SIDE + k] * vector[lane * (SIDE + 1) + k];
    __syncthreads();

#pragma unroll
    for (int row = 0; row < SIDE; row++)
        vector[lane * (SIDE + 1) + row] = sum[row];
    __syncthreads();
#pragma unroll 1
    for (int k = lane; k < here * SIDE; k += 32)
        y[k] = vector[k / SIDE * (SIDE + 1) + k % SIDE];
}
