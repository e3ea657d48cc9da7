/* old-values: one thread, each atomic operation once, each on a word
 * of its own.
 *
 * Every one of them returns what the word held before. What it leaves
 * in the word is what tells them apart.
 */
extern "C" __global__ void
once(unsigned *word, unsigned *old)
{
    old[0] = atomicAdd(&word[0], 10);
    old[1] = atomicSub(&word[1], 10);
    old[2] = atomicAnd(&word[2], 10);
    old[3] = atomicOr(&word[3], 10);
    old[4] = atomicXor(&word[4], 10);
    old[5] = atomicMin(&word[5], 10);
    old[6] = atomicMax(&word[6], 10);
    old[7] = atomicExch(&word[7], 10);
    old[8] = atomicInc(&word[8], 12);      /* at 12 or above: start again at 0 */
    old[9] = atomicDec(&word[9], 10);      /* at 0 or above 10: start again at 10 */
    old[10] = atomicCAS(&word[10], 12, 10); /* if it holds 12, make it 10 */
    old[11] = atomicCAS(&word[11], 7, 10);  /* if it holds 7, make it 10 */
}
