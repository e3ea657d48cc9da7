/* transpose-naive: the same loads as copy; only the place of the store has changed. */
#define TILE 32
#define ROWS 8

extern "C" __global__ void
transpose(const float *__restrict__ from, float *__restrict__ to, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (x < n && y + k < n)
            to[x * n + y + k] = from[(y + k) * n + x];
}
