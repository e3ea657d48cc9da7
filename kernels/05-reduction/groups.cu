/* groups: the same, said with cooperative groups.
 *
 * A group is a value: the block, or a tile of it. Its size, its rank and its
 * barrier come with it, so a function that is handed a tile cannot name the
 * wrong mask or forget who takes part.
 */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern __shared__ float part[];

extern "C" __global__ void
reduce(const float *x, int n, float *sums)
{
    cg::thread_block block = cg::this_thread_block();
    int tid = block.thread_rank();
    int i = blockIdx.x * block.size() + tid;
    part[tid] = i < n ? x[i] : 0;
    block.sync();

#pragma unroll 1
    for (int offset = block.size() / 2; offset >= 32; offset /= 2) {
        if (tid < offset)
            part[tid] += part[tid + offset];
        block.sync();
    }

    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    if (tid < 32) {
        float sum = part[tid];
#pragma unroll
        for (int offset = tile.size() / 2; offset > 0; offset /= 2)
            sum += tile.shfl_down(sum, offset);
        if (tid == 0)
            sums[blockIdx.x] = sum;
    }
}
