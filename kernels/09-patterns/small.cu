/* small: many matrices of 8 x 8, each times a vector of its own. One thread
 * does one of them, and they lie one after another.
 */
#define SIDE 8

extern "C" __global__ void
multiply(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int count)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= count)
        return;
    a += p * SIDE * SIDE;
    x += p * SIDE;
    y += p * SIDE;
    float v[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; k++)
        v[k] = x[k];
#pragma unroll
    for (int row = 0; row < SIDE; row++) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < SIDE; k++)
            sum += a[row * SIDE + k] * v[k];
        y[row] = sum;
    }
}
