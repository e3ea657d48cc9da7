/* segment-thread: a thread for each segment.
 *
 * Segment s is x[offsets[s]] up to before x[offsets[s + 1]].
 */
extern "C" __global__ void
add_up(const int *x, const int *offsets, int segments, int *y)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= segments)
        return;
    int end = offsets[s + 1], sum = 0;
#pragma unroll 1
    for (int i = offsets[s]; i < end; i++)
        sum += x[i];
    y[s] = sum;
}
