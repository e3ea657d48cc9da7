/* Exercise 9.3: y = softmax of each row of x.
 *
 * softmax<<<rows, 256>>>(x, y, columns)
 */
#define LEAST -3.4e38f /* less than any number of a row */

extern "C" __global__ void softmax(const float *x, float *y, int columns)
{
    __shared__ float part[256];
    int tid = threadIdx.x;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;

    float most = LEAST;
    for (int i = tid; i < columns; i += 256)
        most = fmaxf(most, x[i]);
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
