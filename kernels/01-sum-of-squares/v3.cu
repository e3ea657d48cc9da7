/* v3: the threads take turns: thread t reads elements t, t + threads, t
 * + 2 * threads ...
 *
 * The work is that of v2, dealt out like cards. Neighbouring threads
 * now read neighbouring words at the same time, and the memory system
 * can serve many of them in one transaction.
 */
extern "C" __global__ void
sum_squares(const int *data, int n, int *sums, long long *time)
{
    int tid = threadIdx.x;
    if (tid == 0)
        time[0] = clock64();

    int threads = blockDim.x;
    int sum = 0;
#pragma unroll 1
    for (int i = tid; i < n; i += threads)
        sum += data[i] * data[i];
    sums[tid] = sum;

    if (tid == 0)
        time[1] = clock64();
}
