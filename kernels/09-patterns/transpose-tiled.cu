/* transpose-tiled: a tile goes through shared memory.
 *
 * It is read row by row and written row by row. What turns is the way through
 * the tile: stored by rows, fetched by columns.
 */
#define TILE 32
#define ROWS 8

extern "C" __global__ void
transpose(const float *__restrict__ from, float *__restrict__ to, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx;
    int y = blockIdx.y * TILE + ty;
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (x < n && y + k < n)
            tile[ty + k][tx] = from[(y + k) * n + x];
    __syncthreads();

    x = blockIdx.y * TILE + tx; /* the tile's place in the result */
    y = blockIdx.x * TILE + ty;
#pragma unroll
    for (int k = 0; k < TILE; k += ROWS)
        if (x < n && y + k < n)
            to[(y + k) * n + x] = tile[tx][ty + k];
}
