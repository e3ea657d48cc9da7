/* the sine's angle less whole turns, the turn in three parts: what the first leaves is exact */
static __device__ float near_zero(float x)
{
    float turns = rintf(x * 0.15915494f);
    x = fmaf(turns, -6.28125f, x);
    x = fmaf(turns, -1.9354820251464844e-3f, x);
    return fmaf(turns, 1.7484555e-7f, x);
}

extern "C" __global__ void scene(const float *level, const float *phase, int n, float *shade, float *wave)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    shade[i] = __expf(__logf(level[i]) / 2.2f);
    wave[i] = __sinf(near_zero(phase[i]));
}
