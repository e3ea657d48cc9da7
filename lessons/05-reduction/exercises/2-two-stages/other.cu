/* The second stage by one thread: 32 sums are few. */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void block_sum(const int *x, int n, int *sums)
{
    __shared__ int part[32];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i < n ? x[i] : 0;
    for (int offset = tile.size() / 2; offset > 0; offset /= 2)
        sum += tile.shfl_down(sum, offset);
    if (tile.thread_rank() == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int k = 0; k < blockDim.x / 32; k++)
            sum += part[k];
        sums[blockIdx.x] = sum;
    }
}
