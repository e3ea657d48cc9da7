/* v1: one thread does everything.
 *
 * This is the loop a C programmer would write, moved to the card
 * unchanged. A single thread runs on a processor made for thousands:
 * each load waits for memory, and nothing else is there to fill the
 * wait.
 *
 * time[0] and time[1] hold the clock at the start and at the end.
 * `#pragma unroll 1` keeps the loop as written; compilers otherwise
 * unroll it, each in its own way, and the step would no longer be the
 * one that the text describes.
 */
extern "C" __global__ void
sum_squares(const int *data, int n, int *sums, long long *time)
{
    time[0] = clock64();

    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum += data[i] * data[i];
    sums[0] = sum;

    time[1] = clock64();
}
