/* By the group's own functions; all lanes get the sum. */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void row_sums(const int *x, int rows, int width, int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, sum = 0;
    const int *numbers = x + row * width;
    for (int i = warp.thread_rank(); row < rows && i < width; i += warp.size())
        sum += numbers[i];
    for (int mask = warp.size() / 2; mask > 0; mask /= 2)
        sum += warp.shfl_xor(sum, mask);
    if (row < rows && warp.thread_rank() == 0)
        out[row] = sum;
}
