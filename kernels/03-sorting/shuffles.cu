/* shuffles: the same network, with the keys in registers.
 *
 * A thread holds four adjacent keys. Keys 1 or 2 apart are compared within
 * the thread. Keys 4 to 64 apart are at the same place of another lane, and
 * come by a shuffle. Only keys further apart go through shared memory. Of
 * the 78 stages for 4096 keys 15 are left there, with one barrier each:
 * two buffers take turns, so that no thread has to wait before it writes
 * again.
 */
#define EACH 4

/* Keep the lesser key or the greater one. */
static __device__ unsigned
keep(unsigned mine, unsigned other, bool lesser)
{
    return lesser ? min(mine, other) : max(mine, other);
}

static __device__ void
compare(unsigned *x, int a, int b, bool rising)
{
    unsigned least = min(x[a], x[b]), most = max(x[a], x[b]);
    x[a] = rising ? least : most;
    x[b] = rising ? most : least;
}

extern "C" __global__ void
sort(const unsigned *in, int n, unsigned *out)
{
    extern __shared__ uint4 exchange[];
    int t = threadIdx.x, size = EACH * blockDim.x, first = EACH * t, turn = 0;
    unsigned x[EACH] = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
    if (first + EACH <= n)
        *(uint4 *)x = *(const uint4 *)&in[first];
    else /* the end of the keys */
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (first + k < n)
                x[k] = in[first + k];

#pragma unroll 1
    for (int run = 2; run <= size; run *= 2) {
        bool rising = (first & run) == 0; /* for run = 2 the thread's two pairs differ */
#pragma unroll 1
        for (int apart = run / 2; apart >= 32 * EACH; apart /= 2) {
            uint4 *buffer = exchange + turn;
            turn = blockDim.x - turn;
            buffer[t] = make_uint4(x[0], x[1], x[2], x[3]);
            __syncthreads();
            uint4 y = buffer[t ^ (apart / EACH)];
            bool lesser = ((first & apart) == 0) == rising;
            x[0] = keep(x[0], y.x, lesser);
            x[1] = keep(x[1], y.y, lesser);
            x[2] = keep(x[2], y.z, lesser);
            x[3] = keep(x[3], y.w, lesser);
        }
#pragma unroll
        for (int lanes = 16; lanes > 0; lanes /= 2)
            if (2 * EACH * lanes <= run) {
                bool lesser = ((t & lanes) == 0) == rising;
#pragma unroll
                for (int k = 0; k < EACH; k++)
                    x[k] = keep(x[k], __shfl_xor_sync(0xffffffff, x[k], lanes), lesser);
            }
        if (run >= 4) {
            compare(x, 0, 2, rising);
            compare(x, 1, 3, rising);
        }
        compare(x, 0, 1, rising);
        compare(x, 2, 3, run == 2 ? !rising : rising);
    }

    if (first + EACH <= n)
        *(uint4 *)&out[first] = make_uint4(x[0], x[1], x[2], x[3]);
    else
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (first + k < n)
                out[first + k] = x[k];
}
