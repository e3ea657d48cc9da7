#include <limits.h>

extern "C" __global__ void places(const int *x, int rows, int width, int *place)
{
    int lane = threadIdx.x % 32, row = 4 * blockIdx.x + threadIdx.x / 32;
    if (row >= rows)
        return;
    int best = INT_MIN, at = width;
    for (int i = lane; i < width; i += 32)
        best = max(best, x[row * width + i]);
    for (int offset = 16; offset > 0; offset /= 2)
        best = max(best, __shfl_xor_sync(0xffffffff, best, offset));
    for (int i = lane; i < width; i += 32)
        if (x[row * width + i] == best && i < at)
            at = i;
    for (int offset = 16; offset > 0; offset /= 2)
        at = min(at, __shfl_xor_sync(0xffffffff, at, offset));
    if (lane == 0)
        place[row] = at;
}
