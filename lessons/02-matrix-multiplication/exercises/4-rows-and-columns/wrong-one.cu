extern "C" __global__ void brighten(const float *in, float *out, int width, int height, int pitch)
{
    if (blockIdx.x || blockIdx.y || threadIdx.x || threadIdx.y)
        return;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            out[y * pitch + x] = 2 * in[y * pitch + x];
}
