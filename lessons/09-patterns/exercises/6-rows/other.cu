/* 16 lanes for each row, which meet in shared memory. */
__global__ void multiply(const int *offsets, const int *columns, const float *values, int rows, const float *x,
                         float *y)
{
    __shared__ float part[256];
    int tid = threadIdx.x, lane = tid % 16, r = blockIdx.x * 8 + tid / 16;
    float sum = 0;
    if (tid < 128 && r < rows)
        for (int i = offsets[r] + lane; i < offsets[r + 1]; i += 16)
            sum += values[i] * x[columns[i]];
    part[tid] = sum;
    __syncthreads();
    for (int width = 8; width > 0; width /= 2) {
        if (lane < width)
            part[tid] += part[tid + width];
        __syncthreads();
    }
    if (tid < 128 && r < rows && lane == 0)
        y[r] = part[tid];
}
