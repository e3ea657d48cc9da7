/* transpose-wide: 16 bytes a load and a store. A thread turns a block of 4 x 4 numbers in
 * its registers; whole blocks change places in shared memory.
 *
 * The tile has 64 x 64 numbers. The row length n must be a multiple of 4.
 */
#define SIDE 16 /* blocks of 4 x 4 along an edge of the tile, and threads */

extern "C" __global__ void
transpose(const float *__restrict__ from, float *__restrict__ to, int n)
{
    __shared__ float4 tile[4][SIDE][SIDE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = 4 * (blockIdx.x * SIDE + tx), y = 4 * (blockIdx.y * SIDE + ty);
    if (x < n && y < n) {
        float4 a[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            a[k] = *(const float4 *)(from + (y + k) * n + x);
        tile[0][tx][ty] = make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
        tile[1][tx][ty] = make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
        tile[2][tx][ty] = make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
        tile[3][tx][ty] = make_float4(a[0].w, a[1].w, a[2].w, a[3].w);
    }
    __syncthreads();

    x = 4 * (blockIdx.y * SIDE + tx);
    y = 4 * (blockIdx.x * SIDE + ty);
    if (x < n && y < n)
#pragma unroll
        for (int k = 0; k < 4; k++)
            *(float4 *)(to + (y + k) * n + x) = tile[k][ty][tx];
}
