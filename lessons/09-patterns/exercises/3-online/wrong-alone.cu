extern "C" __global__ void softmax(const float *x, float *y, int columns)
{
    __shared__ float most, sum;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;
    if (threadIdx.x == 0) {
        float m = -3.4e38f, s = 0;
        for (int i = 0; i < columns; i++) {
            float v = x[i], next = fmaxf(m, v);
            s = s * expf(m - next) + expf(v - next);
            m = next;
        }
        most = m;
        sum = s;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += 256)
        y[i] = expf(x[i] - most) / sum;
}
