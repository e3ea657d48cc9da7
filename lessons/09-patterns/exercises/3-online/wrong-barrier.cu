#define LEAST -3.4e38f

extern "C" __global__ void softmax(const float *x, float *y, int columns)
{
    __shared__ float greatest[256], total[256];
    int tid = threadIdx.x;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;

    float most = LEAST, sum = 0;
    for (int i = tid; i < columns; i += 256) {
        float v = x[i];
        if (v > most) {
            sum = sum * expf(most - v) + 1;
            most = v;
        } else {
            sum += expf(v - most);
        }
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
    }
    most = greatest[0];
    sum = total[0];

    for (int i = tid; i < columns; i += 256)
        y[i] = expf(x[i] - most) / sum;
}
