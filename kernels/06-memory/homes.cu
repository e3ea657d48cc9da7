/* homes: one variable of each kind, and an access to each.
 *
 * What it computes is simple on purpose: every number times 28. It goes
 * through a register, an array of the thread's own, a table of constants
 * and the block's shared memory on its way.
 */
__constant__ int weight[8] = {0, 1, 2, 3, 4, 5, 6, 7}; /* constant: for all, read only */
__device__ int calls;                                  /* global: lives as long as the program */

extern "C" __global__ void
visit(const int *in, int *out, int n, int first)
{
    __shared__ int board[1024]; /* shared: the block's */
    int at = blockIdx.x * blockDim.x + threadIdx.x; /* a register: the thread's */
    int mine[8]; /* an array of the thread's, indexed as it runs: local memory */

    int number = at < n ? in[at] : 0; /* in and out: global */
#pragma unroll 1
    for (int k = 0; k < 8; k++)
        mine[(first + k) & 7] = number;
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < 8; k++)
        sum += weight[k] * mine[(first + k) & 7];

    board[threadIdx.x] = sum;
    __syncthreads();
    int other = blockDim.x - 1 - threadIdx.x, to = blockIdx.x * blockDim.x + other;
    if (to < n)
        out[to] = board[other];
    if (at == 0)
        calls++;
}
