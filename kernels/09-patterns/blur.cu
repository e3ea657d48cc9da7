/* blur: each result is the sum of a number and of `radius` neighbours on
 * either side. What lies outside counts as 0.
 */
extern "C" __global__ void
blur(const float *__restrict__ x, float *__restrict__ y, int n, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll 1
    for (int k = -radius; k <= radius; k++)
        if (i + k >= 0 && i + k < n)
            sum += x[i + k];
    y[i] = sum;
}
