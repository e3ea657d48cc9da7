/* widths: the same copy with 4, 8 and 16 bytes per thread and access, by the same number of
 * threads. Each thread strides over the array, so that the start of blocks does not count.
 */
extern "C" __global__ void
bits_32(const float *x, float *y, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = x[i];
}

extern "C" __global__ void
bits_64(const float2 *x, float2 *y, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = x[i];
}

extern "C" __global__ void
bits_128(const float4 *x, float4 *y, int n)
{
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = x[i];
}
