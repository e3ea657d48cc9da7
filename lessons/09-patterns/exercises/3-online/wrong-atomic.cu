#define LEAST -3.4e38f

extern "C" __global__ void softmax(const float *x, float *y, int columns)
{
    __shared__ float part[256];
    int tid = threadIdx.x;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;

    float most = -3.4e38f;
    for (int i = tid; i < columns; i += 256)
        most = fmaxf(most, atomicAdd((float *)x + i, 0.0f));
    part[tid] = most;
    __syncthreads();
    for (int offset = 128; offset > 0; offset /= 2) {
        if (tid < offset)
            part[tid] = fmaxf(part[tid], part[tid + offset]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads();

    float sum = 0;
    for (int i = tid; i < columns; i += 256)
        sum += expf(x[i] - most);
    part[tid] = sum;
    __syncthreads();
    for (int offset = 128; offset > 0; offset /= 2) {
        if (tid < offset)
            part[tid] += part[tid + offset];
        __syncthreads();
    }
    sum = part[0];

    for (int i = tid; i < columns; i += 256)
        y[i] = expf(x[i] - most) / sum;
}
