extern "C" __global__ void scene(const float *level, const float *phase, int n, float *shade, float *wave)
{
    if (threadIdx.x > 0)
        return;
    int first = blockIdx.x * blockDim.x;
    for (int i = first; i < first + blockDim.x && i < n; i++) {
        shade[i] = __powf(level[i], 1 / 2.2f);
        wave[i] = sinf(phase[i]);
    }
}
