#include <limits.h>

extern "C" __global__ void places(const int *x, int rows, int width, int *place)
{
    int lane = threadIdx.x % 32, row = 4 * blockIdx.x + threadIdx.x / 32;
    if (row >= rows)
        return;
    int best = INT_MIN, at = width;
    for (int i = lane; i < width; i += 32) {
        int v = x[row * width + i];
        if (v > best || i == lane) {
            best = v;
            at = i;
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        int v = __shfl_down_sync(0xffffffff, best, offset), from = lane + offset;
        int p = __shfl_down_sync(0xffffffff, at, offset);
        if (v > best || v == best && from < lane) {
            best = v;
            at = p;
        }
    }
    if (lane == 0)
        place[row] = at;
}
