/* small-warp: a warp for each matrix, where it lies.
 *
 * A lane has two of the 64 elements, in the same column of rows r and r + 4.
 * The 8 lanes of a row add up by three shuffles.
 */
#define SIDE 8

extern "C" __global__ void
multiply(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int count)
{
    int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (p >= count)
        return;
    a += p * SIDE * SIDE;
    float v = x[p * SIDE + lane % SIDE];
    float upper = a[lane] * v, lower = a[lane + 32] * v;
#pragma unroll
    for (int apart = SIDE / 2; apart > 0; apart /= 2) {
        upper += __shfl_xor_sync(0xffffffff, upper, apart);
        lower += __shfl_xor_sync(0xffffffff, lower, apart);
    }
    if (lane % SIDE == 0) {
        y[p * SIDE + lane / SIDE] = upper;
        y[p * SIDE + lane / SIDE + 4] = lower;
    }
}
