/* v2: many threads in one block, each with its own contiguous piece of
 * the data.
 *
 * While one warp waits for memory, the others can run. But at any
 * moment the 32 threads of a warp read 32 places that lie a whole piece
 * apart, so no two of them can share a memory transaction.
 */
extern "C" __global__ void
sum_squares(const int *data, int n, int *sums, long long *time)
{
    int tid = threadIdx.x;
    if (tid == 0)
        time[0] = clock64();

    int threads = blockDim.x;
    int size = (n + threads - 1) / threads; /* of one piece, rounded up */
    int first = tid * size;
    int last = min(first + size, n);
    int sum = 0;
#pragma unroll 1
    for (int i = first; i < last; i++)
        sum += data[i] * data[i];
    sums[tid] = sum;

    if (tid == 0)
        time[1] = clock64();
}
