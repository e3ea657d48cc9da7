/* crowd: all threads apply all of them to the same words at once.
 *
 * The order differs from run to run on a real card. What is left in
 * the words does not: each of these gives the same in any order. Only
 * an exchange does not, so what it returns is added up: every value
 * put in comes out exactly once.
 */
extern "C" __global__ void
apply(const unsigned *data, int n, unsigned *word, unsigned *passed, unsigned limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned x = data[i];
    atomicAdd(&word[0], x);
    atomicSub(&word[1], x);
    atomicAnd(&word[2], x);
    atomicOr(&word[3], x);
    atomicXor(&word[4], x);
    atomicMin(&word[5], x);
    atomicMax(&word[6], x);
    atomicInc(&word[7], limit);
    atomicDec(&word[8], limit);
    atomicAdd(&passed[0], atomicExch(&word[9], x));
}

/* The last value is still in the word. */
extern "C" __global__ void
settle(unsigned *word, const unsigned *passed)
{
    word[9] += passed[0];
}
