#define LEAST -3.4e38f /* less than any number of a row */

extern "C" __global__ void softmax(const float *x, float *y, int columns)
{
    __shared__ float part[256];
    int tid = threadIdx.x;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;

    float mine[64]; /* the thread's numbers, in local memory: it reads them three times too */
    int count = 0;
    for (int i = tid; i < columns; i += 256)
        mine[count++] = x[i];

    float most = LEAST;
#pragma unroll 1
    for (int k = 0; k < count; k++)
        most = fmaxf(most, mine[k]);
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
#pragma unroll 1
    for (int k = 0; k < count; k++)
        sum += expf(mine[k] - most);
    part[tid] = sum;
    __syncthreads();
    for (int offset = 128; offset > 0; offset /= 2) {
        if (tid < offset)
            part[tid] += part[tid + offset];
        __syncthreads();
    }
    sum = part[0];

#pragma unroll 1
    for (int k = 0; k < count; k++)
        y[tid + 256 * k] = expf(mine[k] - most) / sum;
}
