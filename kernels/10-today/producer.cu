/* producer: a warp that only brings tiles, eight that only multiply.
 *
 * ptx: compute_90
 *
 * Up to here all 256 threads met in each round, and waited for the slowest. Now a ninth warp goes ahead
 * as far as the ring allows. A place in the ring has two barriers: full, when its bytes have arrived,
 * and empty, when each of the 8 warps has said that it has read them. No warp waits for another
 * that multiplies.
 */
#include "hopper.h"

#define SIDE 128
#define DEEP 64              /* numbers of a row at a time: 128 bytes */
#define TILE (SIDE * 2 * DEEP) /* bytes */
#define STAGES 3

/* Where in a tile 16 bytes lie, 8 numbers of a row. */
static __device__ unsigned
place(unsigned row, unsigned eighth)
{
    return row * 128 + (eighth ^ row % 8) * 16;
}

extern "C" __global__ void __launch_bounds__(288, 2)
multiply(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, bf16 *c, int m, int n, int k)
{
    extern __shared__ __align__(1024) char shared[]; /* the tiles, then two barriers for each pair */
    int t = threadIdx.x, lane = t % 32, warp = t / 32, rounds = (k + DEEP - 1) / DEEP;
    int row = warp / 4 * 64, column = warp % 4 * 32; /* of the warp's elements in the tile */
    unsigned tiles = shared_address(shared), full = tiles + STAGES * 2 * TILE, empty = full + 8 * STAGES;

    if (t == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(full + 8 * i, 1);
            barrier_init(empty + 8 * i, 8); /* the warps that multiply */
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

    float sum[4][4][4] = {};
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        barrier_wait(full + 8 * stage, lap);
        unsigned a_tile = tiles + stage * 2 * TILE, b_tile = a_tile + TILE;
#pragma unroll 2 /* all four would need more registers than 2 * 288 threads have */
        for (int i = 0; i < 8; i += 2) { /* 16 numbers of a row are two pieces */
            unsigned p[4], q[2][4];
#pragma unroll
            for (int x = 0; x < 2; x++)
                load_pieces(q[x], b_tile + place(column + 16 * x + lane / 16 * 8 + lane % 8, i + lane / 8 % 2));
#pragma unroll
            for (int y = 0; y < 4; y++) {
                load_pieces(p, a_tile + place(row + 16 * y + lane % 16, i + lane / 16));
#pragma unroll
                for (int x = 0; x < 4; x++)
                    multiply_add(sum[y][x], p, &q[x / 2][x % 2 * 2]);
            }
        }
        __syncwarp();
        if (lane == 0)
            barrier_arrive(empty + 8 * stage);
        if (++stage == STAGES)
            stage = 0, lap ^= 1;
    }

    /* Lane l has of each piece two elements of row l / 4 and two of row l / 4 + 8. */
    int c_row = blockIdx.y * SIDE + row + lane / 4, c_column = blockIdx.x * SIDE + column + lane % 4 * 2;
#pragma unroll
    for (int y = 0; y < 4; y++)
#pragma unroll
        for (int x = 0; x < 4; x++) {
            bf16 *to = &c[(c_row + 16 * y) * n + c_column + 8 * x];
            bool inside = c_column + 8 * x < n;
            if (inside && c_row + 16 * y < m)
                *(unsigned *)to = two_bf16(sum[y][x][0], sum[y][x][1]);
            if (inside && c_row + 16 * y + 8 < m)
                *(unsigned *)(to + 8 * n) = two_bf16(sum[y][x][2], sum[y][x][3]);
        }
}
