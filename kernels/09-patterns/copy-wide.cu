/* copy-wide: a copy with 16 bytes a load and a store, four of each for a thread.
 * n must be a multiple of 4.
 */
#define SIDE 16

extern "C" __global__ void
copy(const float *__restrict__ from, float *__restrict__ to, int n)
{
    int x = 4 * (blockIdx.x * SIDE + threadIdx.x), y = 4 * (blockIdx.y * SIDE + threadIdx.y);
    if (x < n && y < n)
#pragma unroll
        for (int k = 0; k < 4; k++)
            *(float4 *)(to + (y + k) * n + x) = *(const float4 *)(from + (y + k) * n + x);
}
