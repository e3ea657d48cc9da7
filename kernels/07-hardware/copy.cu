/* copy: four ways to hand out the same numbers to the same threads. */

/* y[i] = x[i * stride + offset] */
extern "C" __global__ void
strided(const float *x, float *y, int n, int stride, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i * stride + offset];
}

/* The 16 threads of a half-warp read its 16 words, but neighbours have changed places. */
extern "C" __global__ void
swapped(const float *x, float *y, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) ^ 1;
    if (i < n)
        y[i] = x[i];
}

/* Every second thread sits out. */
extern "C" __global__ void
every_second(const float *x, float *y, int n, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 2 == first)
        y[i] = x[i];
}
