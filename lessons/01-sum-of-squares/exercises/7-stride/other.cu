/* Whole blocks of numbers, one after another; no extern "C". */
__global__ void triple(const int *__restrict__ x, int *__restrict__ y, int n)
{
    const int size = blockDim.x;
#pragma unroll 1
    for (int first = blockIdx.x * size; first < n; first += gridDim.x * size) {
        const int at = first + threadIdx.x;
        if (at >= n)
            continue;
        const int value = x[at];
        y[at] = value + 2 * value;
    }
}
