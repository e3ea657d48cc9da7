extern "C" __global__ void softmax(const float *x, float *y, int columns)
{
    __shared__ float part[256];
    int tid = threadIdx.x;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;
    float sum = 0;
    for (int i = tid; i < columns; i += 256)
        sum += expf(x[i]);
    part[tid] = sum;
    __syncthreads();
    for (int offset = 128; offset > 0; offset /= 2) {
        if (tid < offset)
            part[tid] += part[tid + offset];
        __syncthreads();
    }
    for (int i = tid; i < columns; i += 256)
        y[i] = expf(x[i]) / part[0];
}
