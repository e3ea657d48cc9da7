/* clusters.cu: the kernels of clusters.c. clusters.ptx is what nvcc 13.0 makes of it:
 *     nvcc -ptx -arch=sm_90 -o clusters.ptx clusters.cu
 */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/* How often each number occurs. The bins lie in the shared memory of all blocks of a cluster: `mine` in each. */
extern "C" __global__ void histogram(const unsigned *numbers, int n, unsigned *bins, int all)
{
    extern __shared__ unsigned part[];
    cg::cluster_group cluster = cg::this_cluster();
    const int mine = all / (int)cluster.num_blocks();
    for (int i = threadIdx.x; i < mine; i += blockDim.x) part[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned bin = numbers[i] % (unsigned)all;
        atomicAdd(cluster.map_shared_rank(part, bin / mine) + bin % mine, 1u);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < mine; i += blockDim.x) atomicAdd(&bins[cluster.block_rank() * mine + i], part[i]);
}

/* Clusters of 2 x 2: each block gives its numbers to the next one, and says where it is. */
extern "C" __global__ void __cluster_dims__(2, 2, 1) turn(unsigned *out)
{
    __shared__ unsigned got[64];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), to = (rank + 1) % cluster.num_blocks();
    const dim3 at = cluster.block_index();
    cluster.map_shared_rank(got, to)[threadIdx.x] = rank * 1000 + at.y * 100 + at.x * 10 + threadIdx.x % 10;
    cluster.sync();
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = got[threadIdx.x];
}

/* One block of four brings 1 KiB to all four, which each wait at an object of their own. */
extern "C" __global__ void __cluster_dims__(4, 1, 1) spread(const unsigned *from, unsigned *out)
{
    __shared__ __align__(16) unsigned tile[256];
    __shared__ __align__(8) unsigned long long object;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&object), to = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar)
                     : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(bar) : "memory");
    }
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 2)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "1024, [%2], %3;" ::"r"(to),
                     "l"(from + blockIdx.x / 4 * 256), "r"(bar), "h"((short)15)
                     : "memory");
    asm volatile("{\n.reg .pred over;\nagain: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], 0;\n"
                 "@!over bra again;\n}" ::"r"(bar) : "memory");
    for (int i = threadIdx.x; i < 256; i += blockDim.x) out[blockIdx.x * 256 + i] = tile[i] + cluster.block_rank();
    cluster.sync();
}

/* A launch that may begin before the one before it ends: add_one must wait for what double_all writes. */
extern "C" __global__ void double_all(unsigned *words, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    if (i < n) words[i] *= 2;
}
extern "C" __global__ void add_one(unsigned *words, int n, int early)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mine = 0;
    if (early && i < n) mine = words[i];
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (!early && i < n) mine = words[i];
    if (i < n) words[i] = mine + 1;
}
