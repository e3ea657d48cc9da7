/* small-interleaved: the same thread, the same work; the first elements of
 * all matrices lie side by side, then all second ones, and so on.
 */
#define SIDE 8

extern "C" __global__ void
multiply(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int count)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= count)
        return;
    float v[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; k++)
        v[k] = x[k * count + p];
#pragma unroll
    for (int row = 0; row < SIDE; row++) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < SIDE; k++)
            sum += a[(row * SIDE + k) * count + p] * v[k];
        y[row * count + p] = sum;
    }
}
