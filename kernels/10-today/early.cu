/* early: the sums are read before the product is done.
 *
 * ptx: compute_90a
 *
 * After the commit nothing waits, and the sums go into the result. NVIDIA's assembler sees it, and
 * makes every product wait where it begins, which it says when it is asked (ptxas -v): "serialized". PTX
 * promises nothing of the kind.
 */
#include "hopper.h"

#define SIDE 128
#define DEEP 64              /* numbers of a row at a time: 128 bytes */
#define TILE (SIDE * 2 * DEEP) /* bytes */
#define STAGES 3

extern "C" __global__ void __launch_bounds__(288, 2)
multiply(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, bf16 *c, int m, int n, int k)
{
    extern __shared__ __align__(1024) char shared[]; /* the tiles, then two barriers for each pair */
    int t = threadIdx.x, lane = t % 32, warp = t / 32, rounds = (k + DEEP - 1) / DEEP;
    int row = warp / 4 * 64; /* of the warpgroup's elements in the tile */
    unsigned tiles = shared_address(shared), full = tiles + STAGES * 2 * TILE, empty = full + 8 * STAGES;

    if (t == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(full + 8 * i, 1);
            barrier_init(empty + 8 * i, 2); /* the warpgroups that multiply */
        }
        barrier_init_done();
    }
    __syncthreads();

    int stage = 0, lap = 0; /* lap: odd or even */
    if (warp == 8) {
        if (lane == 0)
#pragma unroll 1
            for (int round = 0; round < rounds; round++) {
                barrier_wait(empty + 8 * stage, lap ^ 1); /* in the first lap all places are empty */
                barrier_expect(full + 8 * stage, 2 * TILE);
                load_box(tiles + stage * 2 * TILE, &a, round * DEEP, blockIdx.y * SIDE, full + 8 * stage);
                load_box(tiles + stage * 2 * TILE + TILE, &b, round * DEEP, blockIdx.x * SIDE, full + 8 * stage);
                if (++stage == STAGES)
                    stage = 0, lap ^= 1;
            }
        return;
    }

    float sum[64];
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        barrier_wait(full + 8 * stage, lap);
        unsigned a_tile = tiles + stage * 2 * TILE + row * 128, b_tile = tiles + stage * 2 * TILE + TILE;
        products_begin();
#pragma unroll
        for (int i = 0; i < 4; i++) /* 16 numbers of a row: 32 bytes further */
            multiply_64x128(sum, matrix_at(a_tile + 32 * i), matrix_at(b_tile + 32 * i), round + i > 0);
        products_commit();
        if (t % 128 == 0)
            barrier_arrive(empty + 8 * stage);
        if (++stage == STAGES)
            stage = 0, lap ^= 1;
    }

    /* A warp has 16 rows; its lane l, of each 8 columns, two of row l / 4 and two of row l / 4 + 8. */
    int c_row = blockIdx.y * SIDE + row + warp % 4 * 16 + lane / 4, c_column = blockIdx.x * SIDE + lane % 4 * 2;
#pragma unroll
    for (int x = 0; x < 16; x++) {
        bf16 *to = &c[c_row * n + c_column + 8 * x];
        bool inside = c_column + 8 * x < n;
        if (inside && c_row < m)
            *(unsigned *)to = two_bf16(sum[4 * x], sum[4 * x + 1]);
        if (inside && c_row + 8 < m)
            *(unsigned *)(to + 8 * n) = two_bf16(sum[4 * x + 2], sum[4 * x + 3]);
    }
}
