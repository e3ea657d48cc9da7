/* scan-steps: a scan of 512 numbers in nine rounds, in shared memory.
 *
 * In the round of reach 1, 2, 4 ... each thread adds the sum that lies
 * `reach` before its own. Two lines take turns: one is read while the other
 * is written.
 */
#define TILE 512

extern "C" __global__ void
scan(const int *x, int n, int *y)
{
    __shared__ int line[2][TILE];
    int tid = threadIdx.x, i = blockIdx.x * TILE + tid, from = 0;
    int sum = i < n ? x[i] : 0;
    line[0][tid] = sum;
    __syncthreads();
#pragma unroll 1
    for (int reach = 1; reach < TILE; reach *= 2) {
        if (tid >= reach)
            sum += line[from][tid - reach];
        from ^= 1;
        line[from][tid] = sum;
        __syncthreads();
    }
    if (i < n)
        y[i] = sum;
}
