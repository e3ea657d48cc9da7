/* A loop over the grid, and no extern "C". */
__device__ int squared(int a) { return a * a; }

__global__ void square(const int *__restrict__ x, int *__restrict__ y, int n)
{
    const int *end = x + n;
    int first = threadIdx.x + blockDim.x * blockIdx.x;
    y += first;
    for (const int *p = x + first; p < end; p += gridDim.x * blockDim.x, y += gridDim.x * blockDim.x)
        *y = squared(*p);
}
