/* Exercise 10.3: the sum of each block's pieces, which the copy unit brings.
 *
 * add_up<<<blocks, 256>>>(in, out, pieces)
 */
static __device__ __forceinline__ void
expect(unsigned barrier, int bytes) /* arrive; this phase waits for so many bytes more */
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void
bring(unsigned to, const int *from, unsigned barrier) /* 1 KiB; its bytes count at the barrier */
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];"
                 ::"r"(to), "l"(from), "r"(barrier) : "memory");
}

static __device__ __forceinline__ void
wait(unsigned barrier, int parity) /* until the phase of this parity is over */
{
    asm volatile("{\n.reg .pred over;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@!over bra again;\n}" ::"r"(barrier), "r"(parity) : "memory");
}

extern "C" __global__ void add_up(const int *in, int *out, int pieces)
{
    __shared__ __align__(128) int ring[3][256];
    __shared__ __align__(8) unsigned long long barriers[3];
    __shared__ int total;
    int t = threadIdx.x, sum = 0;
    unsigned full = (unsigned)__cvta_generic_to_shared(barriers), at = (unsigned)__cvta_generic_to_shared(ring);
    in += 256 * pieces * blockIdx.x;
    if (t == 0) {
        for (int i = 0; i < 3; i++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * i) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int i = 0; i < 2 && i < pieces; i++) {
            expect(full + 8 * i, 1024);
            bring(at + 1024 * i, in + 256 * i, full + 8 * i);
        }
        total = 0;
    }
    for (int round = 0; round < pieces; round++) {
        __syncthreads(); /* nobody reads the piece of the round before */
        int next = round + 2, place = round % 3;
        if (t == 0 && next < pieces) {
            expect(full + 8 * (next % 3), 1024);
            bring(at + 1024 * (next % 3), in + 256 * next, full + 8 * (next % 3));
        }
        wait(full + 8 * place, round % 2);
        sum += ring[place][t];
    }
    for (int reach = 16; reach > 0; reach /= 2)
        sum += __shfl_down_sync(~0u, sum, reach);
    if (t % 32 == 0)
        atomicAdd(&total, sum);
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = total;
}
