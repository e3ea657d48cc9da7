/* Exercise 10.1: a tile of 128 rows of 8 pieces of 16 bytes, written column by column.
 *
 * turn<<<tiles, 256>>>(in, out)
 */
static __device__ int place(int row, int e)
{
    return row * 8 + (e + row) % 8; /* each row begins one place further */
}

extern "C" __global__ void turn(const uint4 *in, uint4 *out)
{
    __shared__ uint4 tile[128 * 8];
    const uint4 *from = in + 1024 * blockIdx.x;
    uint4 *to = out + 1024 * blockIdx.x;
    for (int i = threadIdx.x; i < 1024; i += 256) {
        int row = i / 8, e = i % 8;
        tile[place(row, e)] = from[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256) {
        int row = i % 128, e = i / 128;
        to[i] = tile[place(row, e)];
    }
}
