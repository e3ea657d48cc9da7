/* copy: a plain copy, the measure of every transpose.
 *
 * A block of 32 x 8 threads works on a tile of 32 x 32 numbers, so a thread
 * has four of them, eight rows apart.
 */
#define TILE 32
#define ROWS 8

extern "C" __global__ void
copy(const float *__restrict__ from, float *__restrict__ to, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (x < n && y + k < n)
            to[(y + k) * n + x] = from[(y + k) * n + x];
}
