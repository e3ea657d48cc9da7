/* chain: the same multiply-adds, in one chain or in four.
 *
 * ptx: -DCHAINS=1 as chain-1.ptx
 * ptx: -DCHAINS=4 as chain-4.ptx
 *
 * In one chain each needs the result before it. Four chains take turns, so
 * that three others lie between an instruction and the one that needs it.
 * v = v / 2 + 1 goes to 2, wherever it starts.
 */
extern "C" __global__ void
work(float *out, int rounds)
{
    float v[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        v[k] = threadIdx.x + k;

#pragma unroll 1
    for (int i = 0; i < rounds; i += 16)
#pragma unroll
        for (int k = 0; k < 16; k++)
            v[k % CHAINS] = v[k % CHAINS] * 0.5f + 1.0f;

    float sum = 0;
    for (int k = 0; k < CHAINS; k++)
        sum += v[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum / CHAINS;
}
