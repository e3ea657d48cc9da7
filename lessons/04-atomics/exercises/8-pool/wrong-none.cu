/* Exercise 4.8: a pool that hands out a buffer twice. What should come out, without
 * any pool. */
typedef unsigned long long word;

extern "C" __global__ void
pool(const int *moves, word *heads, unsigned *nexts, int size, int *held, int *retries)
{
    if (threadIdx.x == 0)
        retries[blockIdx.x] = moves[blockIdx.x] != 0;
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        held[blockIdx.x * size + i] = 1;
}
