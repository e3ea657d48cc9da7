extern "C" __global__ void scene(const float *level, const float *phase, int n, float *shade, float *wave)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        shade[i] = __powf(level[i], 1 / 2.2f);
        wave[i] = __sinf(fmodf(phase[i], 6.28318531f));
    }
}
