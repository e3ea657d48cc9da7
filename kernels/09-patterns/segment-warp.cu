/* segment-warp: a warp for each segment; its lanes are neighbours.
 */
extern "C" __global__ void
add_up(const int *x, const int *offsets, int segments, int *y)
{
    int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (s >= segments)
        return;
    int end = offsets[s + 1], sum = 0;
#pragma unroll 1
    for (int i = offsets[s] + lane; i < end; i += 32)
        sum += x[i];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        y[s] = sum;
}
