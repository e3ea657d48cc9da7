extern "C" __global__ void moments(const float *x, int rows, int width, float *mean, float *variance)
{
    if (blockIdx.x >= rows || threadIdx.x)
        return;
    const float *row = x + blockIdx.x * width;
    float count = 0, m = 0, m2 = 0;
    for (int i = 0; i < width; i++) {
        float v = row[i], d = v - m;
        m += d / ++count;
        m2 += d * (v - m);
    }
    mean[blockIdx.x] = m;
    variance[blockIdx.x] = m2 / count;
}
