extern "C" __global__ void brighten(const float *in, float *out, int width, int height, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < height)
        out[y * pitch + x] = 2 * in[y * pitch + x];
}
