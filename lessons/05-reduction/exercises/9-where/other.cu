/* A number and its place in 64 bits: the larger pair is the better one. */
__global__ void places(const int *x, int rows, int width, int *place)
{
    int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows)
        return;
    long long best = (long long)(1ull << 63);
    for (int i = lane; i < width; i += 32)
        best = max(best, (long long)x[row * width + i] * (1ll << 32) + (0x7fffffff - i));
    for (int mask = 1; mask < 32; mask *= 2)
        best = max(best, __shfl_xor_sync(~0u, best, mask));
    if (lane == 0)
        place[row] = 0x7fffffff - (int)(best & 0xffffffff);
}
