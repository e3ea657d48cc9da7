/* copies.cu: the kernels of copies.c. copies.ptx is what nvcc 13.0 makes of it:
 *     nvcc -ptx -arch=sm_90a -o copies.ptx copies.cu
 */
#include <stdint.h>

enum { IMAGE = 32768 }; /* bytes of the tile in shared memory that a case sees */
enum { LOAD, STORE, ADD, MIN, MAX, INC, DEC, AND, OR, XOR };
struct __align__(64) tensor_map {
    uint64_t opaque[16];
};
struct place {
    int c[5];
};

__device__ static uint32_t sh(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ static void bar_init(uint32_t b)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
}
__device__ static void bar_expect(uint32_t b, int n)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(n) : "memory");
}
/* 1: the bytes have come; 0: not within a while. */
__device__ static int bar_wait(uint32_t b)
{
    int done = 0;
    for (int i = 0; i < 20000 && !done; i++)
        asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     "selp.b32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(b) : "memory");
    return done;
}
#define FENCE asm volatile("fence.proxy.async;" ::: "memory")
#define DONE asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory")
#define CLUSTER asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory")

#define C1 "{%2}"
#define C2 "{%2, %3}"
#define C3 "{%2, %3, %4}"
#define C4 "{%2, %3, %4, %5}"
#define C5 "{%2, %3, %4, %5, %6}"
#define ARGS                                                                                                          \
    ::"r"(to), "l"(m), "r"(a.c[0]), "r"(a.c[1]), "r"(a.c[2]), "r"(a.c[3]), "r"(a.c[4]), "r"(bar) : "memory"
#define LOAD_OF(n)                                                                                                    \
    asm volatile("cp.async.bulk.tensor." #n                                                                           \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " C##n "], [%7];" ARGS);
#define STORE_OF(n)                                                                                                   \
    asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.tile.bulk_group [%1, " C##n "], [%0];" ARGS);
#define REDUCE_OF(n, o)                                                                                               \
    asm volatile("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta." o ".tile.bulk_group [%1, " C##n            \
                 "], [%0];" ARGS);
#define RANKS(X, ...)                                                                                                 \
    switch (rank) {                                                                                                   \
    case 1: X(1, ##__VA_ARGS__) break;                                                                                \
    case 2: X(2, ##__VA_ARGS__) break;                                                                                \
    case 3: X(3, ##__VA_ARGS__) break;                                                                                \
    case 4: X(4, ##__VA_ARGS__) break;                                                                                \
    default: X(5, ##__VA_ARGS__) break;                                                                               \
    }

__device__ static void copy(int op, int rank, const tensor_map *m, place a, uint32_t to, uint32_t bar)
{
    switch (op) {
    case LOAD: RANKS(LOAD_OF) break;
    case STORE: RANKS(STORE_OF) break;
    case ADD: RANKS(REDUCE_OF, "add") break;
    case MIN: RANKS(REDUCE_OF, "min") break;
    case MAX: RANKS(REDUCE_OF, "max") break;
    case INC: RANKS(REDUCE_OF, "inc") break;
    case DEC: RANKS(REDUCE_OF, "dec") break;
    case AND: RANKS(REDUCE_OF, "and") break;
    case OR: RANKS(REDUCE_OF, "or") break;
    case XOR: RANKS(REDUCE_OF, "xor") break;
    }
}
__device__ static char *tile_of(char *raw) { return raw + ((1024 - (sh(raw) & 1023)) & 1023); }
__device__ static void image_in(char *tile, const uint4 *src)
{
    for (int i = threadIdx.x; i < IMAGE / 16; i += blockDim.x) ((uint4 *)tile)[i] = src[i];
}
__device__ static void image_out(const char *tile, uint4 *out)
{
    for (int i = threadIdx.x; i < IMAGE / 16; i += blockDim.x) out[i] = ((uint4 *)tile)[i];
}
extern __shared__ __align__(1024) char raw[];

/* how 0: the map is the parameter; 1: it lies in global memory. */
template <int how>
__device__ static void one(const tensor_map *map, int op, int rank, place a, uint32_t offset, uint32_t bytes,
                           const uint4 *src, uint4 *out, int *arrived)
{
    __shared__ __align__(8) uint64_t bar;
    char *tile = tile_of(raw);
    if (threadIdx.x == 0) bar_init(sh(&bar));
    image_in(tile, src);
    FENCE;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (how) asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
        if (op == LOAD) bar_expect(sh(&bar), bytes);
        copy(op, rank, map, a, sh(tile) + offset, sh(&bar));
        if (op != LOAD) DONE;
        else *arrived = bar_wait(sh(&bar));
    }
    __syncthreads();
    image_out(tile, out);
}
extern "C" __global__ void box(const __grid_constant__ tensor_map m, int op, int rank, place a, uint32_t offset,
                               uint32_t bytes, const uint4 *src, uint4 *out, int *arrived)
{
    one<0>(&m, op, rank, a, offset, bytes, src, out, arrived);
}
extern "C" __global__ void box_there(const tensor_map *m, int op, int rank, place a, uint32_t offset, uint32_t bytes,
                                     const uint4 *src, uint4 *out, int *arrived)
{
    one<1>(m, op, rank, a, offset, bytes, src, out, arrived);
}

/* ---- without a map: how 0 a copy to shared memory, 1 a copy from it, 2 and more a reduction ---- */
extern "C" __global__ void bulk(int which, char *to, const uint4 *src, uint32_t offset, uint32_t bytes, uint4 *out,
                                int *arrived)
{
    __shared__ __align__(8) uint64_t bar;
    char *tile = tile_of(raw);
    if (threadIdx.x == 0) bar_init(sh(&bar));
    image_in(tile, src);
    FENCE;
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint32_t at = sh(tile) + offset;
        switch (which) {
#define DO(i, o)                                                                                                      \
    case i:                                                                                                           \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." o " [%0], [%1], %2;" ::"l"(to), "r"(at),   \
                     "r"(bytes)                                                                                       \
                     : "memory");                                                                                     \
        break;
#include "reductions.h"
        case -1:
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at), "r"(bytes)
                         : "memory");
            break;
        case -2:
            bar_expect(sh(&bar), bytes);
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at),
                "l"(to), "r"(bytes), "r"(sh(&bar))
                : "memory");
            *arrived = bar_wait(sh(&bar));
            break;
        }
        DONE;
    }
    __syncthreads();
    image_out(tile, out);
}

/* ---- tensormap.replace ---- */
extern "C" __global__ void replace(const __grid_constant__ tensor_map m, tensor_map *to, void *address, int what)
{
    __shared__ __align__(128) tensor_map s;
    if (threadIdx.x < 32) ((uint32_t *)&s)[threadIdx.x] = ((const uint32_t *)&m)[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
        const uint32_t p = sh(&s);
#define SET(field, type) "tensormap.replace.tile." field ".shared::cta.b1024." type " [%0], "
        switch (what) {
        case 0: asm volatile(SET("global_address", "b64") "%1;" ::"r"(p), "l"(address) : "memory"); break;
        case 1: asm volatile(SET("rank", "b32") "1;" ::"r"(p) : "memory"); break;
        case 2: asm volatile(SET("box_dim", "b32") "1, %1;" ::"r"(p), "r"(7) : "memory"); break;
        case 3: asm volatile(SET("global_dim", "b32") "1, %1;" ::"r"(p), "r"(10) : "memory"); break;
        case 4: asm volatile(SET("global_stride", "b64") "0, %1;" ::"r"(p), "l"(512ull) : "memory"); break;
        case 5: asm volatile(SET("element_stride", "b32") "1, %1;" ::"r"(p), "r"(1) : "memory"); break;
        case 6: asm volatile(SET("elemtype", "b32") "2;" ::"r"(p) : "memory"); break;
        case 7: asm volatile(SET("interleave_layout", "b32") "0;" ::"r"(p) : "memory"); break;
        case 8: asm volatile(SET("swizzle_mode", "b32") "3;" ::"r"(p) : "memory"); break;
        case 9: asm volatile(SET("fill_mode", "b32") "1;" ::"r"(p) : "memory"); break;
        case 10: asm volatile(SET("elemtype", "b32") "11;" ::"r"(p) : "memory"); break;
        case 11: asm volatile(SET("elemtype", "b32") "10;" ::"r"(p) : "memory"); break;
        case 12: asm volatile(SET("element_stride", "b32") "1, %1;" ::"r"(p), "r"(2) : "memory"); break;
        case 13: asm volatile(SET("box_dim", "b32") "0, %1;" ::"r"(p), "r"(15) : "memory"); break;
        }
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                 "[%0], [%1], 128;" ::"l"(to), "r"(sh(&s)) : "memory");
}

/* ---- clusters ---- */
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    multicast(const __grid_constant__ tensor_map m, int how, uint32_t bytes, const uint4 *src, uint4 *out, int *arrived)
{
    __shared__ __align__(8) uint64_t bar;
    char *tile = tile_of(raw);
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) bar_init(sh(&bar));
    image_in(tile, src + (how >= 3 ? rank * (IMAGE / 16) : 0));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    FENCE;
    CLUSTER;
    if (threadIdx.x == 0) {
        const uint32_t to = sh(tile), b = sh(&bar), next = (rank + 1) % 4;
        uint32_t there, bar_there;
        const uint16_t mask = how == 1 ? 0xf : 0xb;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(to + 4096), "r"(next));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar_there) : "r"(b), "r"(next));
        const int waits = how == 0 || how >= 3 || (mask >> rank & 1);
        if (waits) bar_expect(b, how == 1 ? 4 * bytes : bytes);
        CLUSTER;
        switch (how) {
        case 0:
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
                         "{%2, %3}], [%4];" ::"r"(to), "l"(&m), "r"(rank * 8), "r"(3), "r"(b) : "memory");
            break;
        case 1:
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                         ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to + rank * 4096), "l"(&m),
                         "r"(rank * 8), "r"(3), "r"(b), "h"(mask) : "memory");
            break;
        case 2:
            if (rank == 2)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                             "[%0], [%1], %2, [%3], %4;" ::"r"(to + 256), "l"(src + 7), "r"(bytes), "r"(b), "h"(mask)
                             : "memory");
            break;
        case 3:
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
                         "[%3];" ::"r"(there), "r"(to), "r"(bytes), "r"(bar_there) : "memory");
            break;
#undef DO
#define DO(i, o)                                                                                                      \
    case i + 4:                                                                                                       \
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." o               \
                     " [%0], [%1], %2, [%3];" ::"r"(there), "r"(to), "r"(bytes), "r"(bar_there)                       \
                     : "memory");                                                                                     \
        break;
#define LOCAL
#include "reductions.h"
        }
        arrived[rank] = waits ? bar_wait(b) : 1;
    } else {
        CLUSTER;
    }
    __syncthreads();
    CLUSTER;
    image_out(tile, out + rank * (IMAGE / 16));
}

/* ---- mistakes: what a card says of them ---- */
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    mistake(const __grid_constant__ tensor_map m, char *global, int which)
{
    __shared__ __align__(16) uint64_t bar[2];
    __shared__ __align__(16) int word[4];
    char *tile = tile_of(raw);
    uint32_t rank, there, bar_there;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(sh(word)), "r"(1));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar_there) : "r"(sh(bar)), "r"(1));
    if (threadIdx.x == 0) bar_init(sh(bar));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    CLUSTER;
    if (rank == 1 && which < 10) return;
    const long long start = clock64();
    while (clock64() - start < 200000) {}
    if (threadIdx.x || rank) return;
    const uint32_t to = sh(tile), b = sh(bar);
#define LOAD_BULK "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
#define LOAD_2D                                                                                                       \
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];"
    switch (which) {
    /* rank 1 has ended */
    case 0: asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(1) : "memory"); break;
    case 1: {
        int got;
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(got) : "r"(there) : "memory");
        *(int *)global = got;
        break;
    }
    case 2:
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there), "r"(1),
                     "r"(bar_there) : "memory");
        break;
    case 3:
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar_there) : "memory");
        break;
    case 4:
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], %2, [%3], %4;" ::"r"(to), "l"(global), "r"(1024), "r"(b), "h"((short)3) : "memory");
        break;
    case 5: CLUSTER; break;
    /* rank 1 is there */
    case 10: asm volatile(LOAD_BULK ::"r"(to), "l"(global), "r"(24), "r"(b) : "memory"); break;
    case 11: asm volatile(LOAD_BULK ::"r"(to + 8), "l"(global), "r"(32), "r"(b) : "memory"); break;
    case 12: asm volatile(LOAD_BULK ::"r"(to), "l"(global + 8), "r"(32), "r"(b) : "memory"); break;
    case 13: asm volatile(LOAD_BULK ::"r"(to), "l"(global), "r"(0), "r"(b) : "memory"); break;
    case 14: asm volatile(LOAD_BULK ::"r"(to), "l"(global), "r"(32), "r"(b + 4) : "memory"); break;
    case 15:
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], %2, [%3], %4;" ::"r"(to), "l"(global), "r"(1024), "r"(b), "h"((short)5) : "memory");
        break;
    case 16: asm volatile(LOAD_2D ::"r"(to + 16), "l"(&m), "r"(0), "r"(b) : "memory"); break;
    case 17: asm volatile(LOAD_2D ::"r"(to + 64), "l"(&m), "r"(0), "r"(b) : "memory"); break;
    case 18: asm volatile(LOAD_2D ::"r"(to), "l"((const char *)global + 16), "r"(0), "r"(b) : "memory"); break;
    case 19: asm volatile(LOAD_2D ::"r"(to), "l"((const char *)global + 4096), "r"(0), "r"(b) : "memory"); break;
    case 20:
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
                     "{%2}], [%3];" ::"r"(to), "l"(&m), "r"(0), "r"(b) : "memory");
        break;
    case 21: bar_expect(b, 1 << 20); break;
    case 22: asm volatile("mbarrier.init.shared::cta.b64 [%0], 0;" ::"r"(b) : "memory"); break;
    case 23: asm volatile("mbarrier.init.shared::cta.b64 [%0], 1048576;" ::"r"(b) : "memory"); break;
    case 24: asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there + (1 << 24)), "r"(1) : "memory"); break;
    case 25: asm volatile("griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\ngriddepcontrol.wait;\n"
                          "griddepcontrol.launch_dependents;" ::: "memory"); break;
    case 26: /* two blocks' arrivals where one is expected */
        bar_expect(b, 16);
        bar_expect(b, 16);
        break;
    case 27: asm volatile(LOAD_BULK ::"r"(to), "l"(global), "r"(1024), "r"(b) : "memory"); bar_wait(b); break;
    case 28: bar_expect(b, 16); bar_expect(b, 16); bar_expect(b, 16); break;
    }
    bar_wait(b);
    *(int *)global = 7;
}

/* for questions about occupancy: its own shared memory and registers do not count */
extern "C" __global__ void __launch_bounds__(1024) small(int *out)
{
    if (raw[threadIdx.x] == 77) *out = 1;
}
