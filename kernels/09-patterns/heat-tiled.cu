/* heat-tiled: 32 x 8 points and a rim of one point around them, in shared memory.
 *
 * 34 x 10 numbers are fetched by 256 threads, so some fetch two. The corners
 * are fetched too, though no point of this stencil needs them: leaving them
 * out would cost a test.
 */
#define WIDE 34
#define TALL 10

extern "C" __global__ void
heat(const float *__restrict__ from, float *__restrict__ to, int n)
{
    __shared__ float tile[TALL][WIDE];
    int tid = threadIdx.y * 32 + threadIdx.x;
#pragma unroll 1
    for (int k = tid; k < TALL * WIDE; k += 256) {
        int x = blockIdx.x * 32 + k % WIDE - 1;
        int y = blockIdx.y * 8 + k / WIDE - 1;
        tile[k / WIDE][k % WIDE] = x >= 0 && x < n && y >= 0 && y < n ? from[y * n + x] : 0;
    }
    __syncthreads();

    int x = blockIdx.x * 32 + threadIdx.x, tx = threadIdx.x + 1;
    int y = blockIdx.y * 8 + threadIdx.y, ty = threadIdx.y + 1;
    if (x < n && y < n)
        to[y * n + x] = 0.5f * tile[ty][tx] +
                        0.125f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}
