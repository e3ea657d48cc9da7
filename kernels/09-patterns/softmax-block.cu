/* softmax-block: 256 threads a row, three times along it: for the greatest
 * number, for the sum, and to divide.
 */
#define THREADS 256
#define LEAST -3.4e38f /* less than any number of a row */

extern "C" __global__ void
softmax(const float *__restrict__ x, float *__restrict__ y, int columns)
{
    __shared__ float part[THREADS];
    int tid = threadIdx.x;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;

    float most = LEAST, sum = 0;
#pragma unroll 1
    for (int i = tid; i < columns; i += THREADS)
        most = fmaxf(most, x[i]);
    part[tid] = most;
    __syncthreads();
#pragma unroll 1
    for (int offset = THREADS / 2; offset > 0; offset /= 2) {
        if (tid < offset)
            part[tid] = fmaxf(part[tid], part[tid + offset]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads(); /* all have it, before part is used again */

#pragma unroll 1
    for (int i = tid; i < columns; i += THREADS)
        sum += expf(x[i] - most);
    part[tid] = sum;
    __syncthreads();
#pragma unroll 1
    for (int offset = THREADS / 2; offset > 0; offset /= 2) {
        if (tid < offset)
            part[tid] += part[tid + offset];
        __syncthreads();
    }
    float share = 1 / part[0]; /* one division instead of many */

#pragma unroll 1
    for (int i = tid; i < columns; i += THREADS)
        y[i] = expf(x[i] - most) * share;
}
