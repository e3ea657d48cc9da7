/* v4: many blocks.
 *
 * One block runs on one multiprocessor; the others of the card stood
 * idle. Now every block strides over the whole array with the step of
 * the whole grid. Each thread still writes a sum of its own, and the
 * host adds them all.
 *
 * time[b] is the clock at the start of block b, time[blocks + b] at its
 * end.
 */
extern "C" __global__ void
sum_squares(const int *data, int n, int *sums, long long *time)
{
    int tid = threadIdx.x;
    if (tid == 0)
        time[blockIdx.x] = clock64();

    int step = gridDim.x * blockDim.x; /* all threads of all blocks */
    int sum = 0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += step)
        sum += data[i] * data[i];
    sums[blockIdx.x * blockDim.x + tid] = sum;

    if (tid == 0)
        time[gridDim.x + blockIdx.x] = clock64();
}
