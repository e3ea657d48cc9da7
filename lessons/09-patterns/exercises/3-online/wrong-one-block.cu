extern "C" __global__ void softmax(const float *x, float *y, int columns)
{
    __shared__ float greatest[256], total[256];
    int tid = threadIdx.x;
    if (blockIdx.x)
        return;
    for (int row = 0; row < gridDim.x; row++, x += columns, y += columns) {
        float most = -3.4e38f, sum = 0;
        for (int i = tid; i < columns; i += 256) {
            float v = x[i], next = fmaxf(most, v);
            sum = sum * expf(most - next) + expf(v - next);
            most = next;
        }
        greatest[tid] = most;
        total[tid] = sum;
        __syncthreads();
        for (int offset = 128; offset > 0; offset /= 2) {
            if (tid < offset) {
                float a = greatest[tid], b = greatest[tid + offset], m = fmaxf(a, b);
                total[tid] = total[tid] * expf(a - m) + total[tid + offset] * expf(b - m);
                greatest[tid] = m;
            }
            __syncthreads();
        }
        most = greatest[0];
        sum = total[0];
        __syncthreads();
        for (int i = tid; i < columns; i += 256)
            y[i] = expf(x[i] - most) / sum;
    }
}
