extern "C" __global__ void scene(const float *level, const float *phase, int n, float *shade, float *wave)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        shade[i] = sqrtf(level[i]);
        wave[i] = sinf(phase[i]);
    }
}
