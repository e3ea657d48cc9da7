/* two-d: blocks and grids of two dimensions. A thread has a column x and a row y. */
extern "C" __global__ void
number(int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = y * width + x;
}
