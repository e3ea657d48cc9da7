/* stream: each block adds up its pieces of 2 KiB, which the copy unit brings into a ring of `stages` places.
 *
 * ptx: compute_90
 */
static __device__ __forceinline__ void
expect(unsigned barrier, int bytes) /* arrive; this phase waits for so many bytes more */
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void
bring(unsigned to, const int *from, unsigned barrier) /* 2 KiB; its bytes count at the barrier */
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];"
                 ::"r"(to), "l"(from), "r"(barrier) : "memory");
}

static __device__ __forceinline__ void
wait(unsigned barrier, int parity) /* until the phase of this parity is over */
{
    asm volatile("{\n.reg .pred over;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@!over bra again;\n}" ::"r"(barrier), "r"(parity) : "memory");
}

extern "C" __global__ void stream(const int *in, int *out, int pieces, int stages)
{
    extern __shared__ __align__(128) char ring[]; /* the places, then a barrier for each */
    __shared__ int total;
    int t = threadIdx.x, sum = 0;
    unsigned at = (unsigned)__cvta_generic_to_shared(ring), full = at + 2048 * stages;
    in += 512 * pieces * blockIdx.x;
    if (t == 0) {
        for (int i = 0; i < stages; i++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * i) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int i = 0; i < stages - 1 && i < pieces; i++) {
            expect(full + 8 * i, 2048);
            bring(at + 2048 * i, in + 512 * i, full + 8 * i);
        }
        total = 0;
    }
    int place = 0, ahead = stages - 1, lap = 0;
    for (int round = 0; round < pieces; round++) {
        __syncthreads(); /* nobody reads the piece of the round before */
        int next = round + stages - 1;
        if (t == 0 && next < pieces) {
            expect(full + 8 * ahead, 2048);
            bring(at + 2048 * ahead, in + 512 * next, full + 8 * ahead);
        }
        wait(full + 8 * place, lap);
        int4 four = *(const int4 *)&ring[2048 * place + 16 * t];
        sum += four.x + four.y + four.z + four.w;
        if (++ahead == stages)
            ahead = 0;
        if (++place == stages)
            place = 0, lap ^= 1;
    }
    for (int reach = 16; reach > 0; reach /= 2)
        sum += __shfl_down_sync(~0u, sum, reach);
    if (t % 32 == 0)
        atomicAdd(&total, sum);
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = total;
}
