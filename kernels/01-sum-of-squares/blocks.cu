/* blocks: the same with several blocks. threadIdx.x starts at 0 in each of them, so the number of
 * the block is needed too.
 */
extern "C" __global__ void
number(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
}
