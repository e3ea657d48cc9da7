/* Exercise 10.1: a tile of 128 rows of 8 pieces of 16 bytes, written column by column.
 *
 * turn<<<tiles, 256>>>(in, out)
 */
extern "C" __global__ void turn(const uint4 *in, uint4 *out)
{
    const uint4 *from = in + 1024 * blockIdx.x;
    uint4 *to = out + 1024 * blockIdx.x;
    for (int i = threadIdx.x; i < 1024; i += 256)
        to[i] = from[i % 128 * 8 + i / 128];
}
