/* banks: each thread reads the word `stride` times its number, again and again.
 *
 * volatile, so that every round really reads.
 */
extern "C" __global__ void
read_words(int stride, int rounds, int *out)
{
    __shared__ volatile int words[2176];
    int tid = threadIdx.x;
    for (int i = tid; i < 2176; i += blockDim.x)
        words[i] = i;
    __syncthreads();

    int sum = 0, at = stride * tid;
#pragma unroll 8
    for (int i = 0; i < rounds; i++)
        sum += words[at];
    out[tid] = sum;
}
