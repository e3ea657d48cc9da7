extern "C" __global__ void brighten(const float *in, float *out, int width, int height, int pitch)
{
    int x = blockIdx.x * 16 + threadIdx.y;
    int y = blockIdx.y * 16 + threadIdx.x;
    if (x < width && y < height)
        out[y * pitch + x] = 2 * in[y * pitch + x];
}
