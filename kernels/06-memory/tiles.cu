/* tiles: the same product from tiles in shared memory, of a width chosen at
 * the launch: multiply1, multiply2, multiply4 ... multiply32.
 *
 * A tile of width T serves T threads with each number loaded, so the loads
 * fall to 2n^3 / T. Two barriers per tile. One entry for each width, because
 * the compiler must know it: it sizes the arrays and ends the inner loop.
 */
template <int T>
static __device__ void
product(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[T][T], b_tile[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * T + y, column = blockIdx.x * T + x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k += T) {
        a_tile[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0;
        b_tile[y][x] = k + y < n && column < n ? b[(k + y) * n + column] : 0;
        __syncthreads(); /* the tiles are complete */
#pragma unroll
        for (int i = 0; i < T; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads(); /* and may be overwritten */
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

#define ENTRY(T)                                                                     \
    extern "C" __global__ void multiply##T(const float *a, const float *b, float *c, \
                                           int n)                                    \
    {                                                                                \
        product<T>(a, b, c, n);                                                      \
    }
ENTRY(1)
ENTRY(2)
ENTRY(4)
ENTRY(8)
ENTRY(16)
ENTRY(32)
