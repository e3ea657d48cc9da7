/* global: the tree in the card's memory itself, on the input.
 *
 * ptx: -DREAL=float as global.ptx
 * ptx: -DREAL=double as global-double.ptx
 *
 * Each block folds its own piece in half, again and again, until one number is
 * left. The input is destroyed, and every piece must be full: n is a
 * multiple of the block.
 */
extern "C" __global__ void
reduce(REAL *x, REAL *sums)
{
    int tid = threadIdx.x;
    REAL *piece = x + (size_t)blockIdx.x * blockDim.x;

#pragma unroll 1
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (tid < offset)
            piece[tid] += piece[tid + offset];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = piece[0];
}
