/* Exercise 9.2: bin[b] = how many of the n keys are b, 0 to 255.
 *
 * histogram<<<blocks, 256>>>(key, n, bin)
 */
extern "C" __global__ void histogram(const unsigned *key, int n, unsigned *bin)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bin[key[i]], 1);
}
