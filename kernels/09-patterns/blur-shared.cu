/* blur-shared: a block fetches its numbers and a halo once, then adds from
 * shared memory.
 *
 * The block needs `radius` numbers more at either end. Its first threads
 * fetch them. A number outside is fetched as 0, so the loop has no test.
 */
extern __shared__ float part[];

extern "C" __global__ void
blur(const float *__restrict__ x, float *__restrict__ y, int n, int radius)
{
    int first = blockIdx.x * blockDim.x - radius; /* of the halo */
    int count = blockDim.x + 2 * radius;
#pragma unroll 1
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        int i = first + k;
        part[k] = i >= 0 && i < n ? x[i] : 0;
    }
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k <= 2 * radius; k++)
        sum += part[threadIdx.x + k];
    y[i] = sum;
}
