/* Returns early, and adds. */
__global__ void brighten(const float *in, float *out, int width, int height, int pitch)
{
    const int row = blockIdx.y * 16 + threadIdx.y;
    if (row >= height)
        return;
    in += row * pitch;
    out += row * pitch;
    const unsigned column = 16 * blockIdx.x + threadIdx.x;
    if (column >= (unsigned)width)
        return;
    const float value = in[column];
    out[column] = value + value;
}
