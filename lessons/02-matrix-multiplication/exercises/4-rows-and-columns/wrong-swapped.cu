extern "C" __global__ void brighten(const float *in, float *out, int width, int height, int pitch)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    int x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * pitch + x] = 2 * in[y * pitch + x];
}
