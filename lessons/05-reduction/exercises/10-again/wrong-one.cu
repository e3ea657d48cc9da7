extern "C" __global__ void normalize(const float *x, int rows, int width, float *y)
{
    if (blockIdx.x >= rows || threadIdx.x)
        return;
    const float *row = x + blockIdx.x * width;
    float sum = 0, squares = 0;
    for (int i = 0; i < width; i++)
        sum += row[i];
    for (int i = 0; i < width; i++)
        squares += (row[i] - sum / width) * (row[i] - sum / width);
    for (int i = 0; i < width; i++)
        y[blockIdx.x * width + i] = (row[i] - sum / width) * rsqrtf(squares / width + 1e-5f);
}
