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
    int greatest = best;
    for (int offset = 16; offset > 0; offset /= 2)
        greatest = max(greatest, __shfl_xor_sync(0xffffffff, greatest, offset));
    for (int offset = 16; offset > 0; offset /= 2)
        at = min(at, __shfl_xor_sync(0xffffffff, at, offset));
    if (lane == 0)
        place[row] = at;
}
