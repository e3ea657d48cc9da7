/* hopper: the instructions that CUDA C has no name for, a short function each.
 *
 * A place in shared memory is a number of 32 bits here, as these instructions take it. A barrier is
 * 8 bytes of shared memory: an mbarrier. Every function that reads or writes memory says so to the
 * compiler ("memory"), which must not move other accesses across it.
 */
#define shared_address(p) ((unsigned)__cvta_generic_to_shared(p))

typedef unsigned short bf16; /* a float's first 16 bits: only moved here, tensor cores multiply it */

/* ---- products of one warp ---- */

/* Four pieces of 8 x 8 numbers of 16 bits. Lane l says where row l % 8 of piece l / 8 begins, and
 * gets of each piece two numbers of row l / 4. */
static __device__ __forceinline__ void
load_pieces(unsigned piece[4], unsigned row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(piece[0]), "=r"(piece[1]), "=r"(piece[2]), "=r"(piece[3]) : "r"(row) : "memory");
}

/* 16 x 8 sums += 16 x 16 numbers of A times 16 x 8 of B. */
static __device__ __forceinline__ void
multiply_add(float sum[4], const unsigned a[4], const unsigned b[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Two floats, rounded: the first in the low half. */
static __device__ __forceinline__ unsigned
two_bf16(float first, float second)
{
    unsigned two;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(second), "f"(first));
    return two;
}

static __device__ __forceinline__ void
store_4(unsigned to, unsigned word) /* into shared memory */
{
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}

static __device__ __forceinline__ void
store_8(unsigned to, float first, float second)
{
    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(first), "f"(second) : "memory");
}

/* ---- copies that a thread starts and does not wait for ---- */

static __device__ __forceinline__ void
copy_16(unsigned to, const void *from) /* 16 bytes of the card's memory, into shared memory */
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

static __device__ __forceinline__ void
copy_commit(void) /* those since the last commit are a group */
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N> static __device__ __forceinline__ void
copy_wait(void) /* until at most the N newest groups of this thread are on their way */
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/* ---- barriers in shared memory ---- */

static __device__ __forceinline__ void
barrier_init(unsigned barrier, int arrivals) /* a phase ends after so many, and all bytes it expects */
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

static __device__ __forceinline__ void
barrier_init_done(void) /* other blocks of the cluster, and copies, see the barriers as initialised */
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ __forceinline__ void
barrier_expect(unsigned barrier, int bytes) /* arrive, and let this phase wait for so many bytes more */
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void
barrier_arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Says nothing about memory (.release.cluster): this thread only read, and that would be a fence over the card. */
static __device__ __forceinline__ void
barrier_arrive_at(unsigned barrier, int rank) /* the barrier at the same place in another block of the cluster */
{
    asm volatile("{\n.reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(barrier), "r"(rank) : "memory");
}

/* Waits until the phase of this parity is over: 0 for the first, then 1, 0, 1 ... Before the first
 * phase is over, a wait for parity 1 passes at once. */
static __device__ __forceinline__ void
barrier_wait(unsigned barrier, int parity)
{
    asm volatile("{\n.reg .pred over;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@!over bra again;\n}" ::"r"(barrier), "r"(parity) : "memory");
}

/* ---- boxes of a matrix, moved by the card's own unit: tensor memory access ---- */

/* What cuTensorMapEncodeTiled makes of a matrix's address, sizes, box and swizzle. */
struct __align__(64) tensor_map {
    unsigned long long word[16];
};

static __device__ __forceinline__ void
load_box(unsigned to, const tensor_map *map, int x, int y, unsigned barrier) /* its bytes count at the barrier */
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
}

/* The same, to the same place in each block of the cluster whose bit in `blocks` is set, and to its barrier. */
static __device__ __forceinline__ void
load_box_for(unsigned short blocks, unsigned to, const tensor_map *map, int x, int y, unsigned barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;"
                 ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(blocks) : "memory");
}

static __device__ __forceinline__ void
store_box(const tensor_map *map, int x, int y, unsigned from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;" ::"l"(map), "r"(x), "r"(y), "r"(from) : "memory");
}

template <int N> static __device__ __forceinline__ void
store_wait_read(void) /* until at most the N newest boxes of this thread are still to be read from shared memory */
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

static __device__ __forceinline__ void
copies_see_writes(void) /* what threads wrote to shared memory before, copies and wgmma read after */
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* ---- products of a warpgroup: 4 warps, on tiles in shared memory ---- */

/* A descriptor of a tile whose rows are 128 bytes, swizzled: its address and the 1024 bytes from 8
 * rows to the next, both in units of 16, and the kind of swizzle. */
static __device__ __forceinline__ unsigned long long
matrix_at(unsigned address)
{
    return (address & 0x3ffff) >> 4 | 1ull << 16 | (1024ull >> 4) << 32 | 1ull << 62;
}

static __device__ __forceinline__ void
products_begin(void) /* registers written before belong to the products from here on */
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ void
products_commit(void) /* those since the last commit are a group */
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int N> static __device__ __forceinline__ void
products_wait(void) /* until at most the N newest groups are being computed */
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

/* Operands are numbered: %0 to %9 is TEN(), %10 to %19 is TEN(1). */
#define TEN(t) \
    "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define SUMS_8(i) \
    "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), \
        "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
#define NAMES_64 "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "%60, %61, %62, %63}"
#define NAMES_128 \
    "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11) \
    "%120, %121, %122, %123, %124, %125, %126, %127}"

/* 64 x 128 sums (+)= 64 x 16 numbers of A times 128 x 16 of B, both by rows. `add` 0: the first, nothing to add to. */
static __device__ __forceinline__ void
multiply_64x128(float sum[64], unsigned long long a, unsigned long long b, int add)
{
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 " NAMES_64 ", %64, %65, add, 1, 1, 0, 0;\n}"
                 : SUMS_32(0), SUMS_32(32) : "l"(a), "l"(b), "r"(add));
}

static __device__ __forceinline__ void
multiply_64x256(float sum[128], unsigned long long a, unsigned long long b, int add)
{
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 " NAMES_128 ", %128, %129, add, 1, 1, 0, 0;\n}"
                 : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96) : "l"(a), "l"(b), "r"(add));
}

/* The same on floats, of which it takes the first 19 bits (tf32): 8 numbers of a row at a time. */
static __device__ __forceinline__ void
multiply_64x256_tf32(float sum[128], unsigned long long a, unsigned long long b, int add)
{
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 " NAMES_128 ", %128, %129, add, 1, 1;\n}"
                 : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96) : "l"(a), "l"(b), "r"(add));
}

/* Registers that one warpgroup gives back, and another takes. All its warps must say it. */
template <int N> static __device__ __forceinline__ void
fewer_registers(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

template <int N> static __device__ __forceinline__ void
more_registers(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}

static __device__ __forceinline__ void
warpgroup_sync(int barrier) /* a __syncthreads of 128 threads; barrier 1 to 15 */
{
    asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}

/* ---- clusters: blocks that run at the same time, near each other ---- */

static __device__ __forceinline__ int
cluster_rank(void) /* of this block in its cluster */
{
    int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ __forceinline__ void
cluster_sync(void) /* a __syncthreads of all blocks of the cluster: what they sent each other before has arrived */
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

/* The same without an order of memory, which is a fence over the whole card. For the barriers of a
 * ring, barrier_init_done has said all. */
static __device__ __forceinline__ void
cluster_meet(void)
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
