/* tma: one thread asks for a whole tile, and the card's copy unit brings it.
 *
 * ptx: compute_90
 *
 * A tensor map says where a matrix lies, how large it is, how large a box of it is, and how the box is
 * swizzled in shared memory: as before. So an instruction of one thread replaces 1024 copies of 16 bytes
 * and their addresses. The bytes that arrive count at a barrier in shared memory, one for each place
 * in the ring; a phase of it ends when all are there. What lies outside the matrix is brought as 0:
 * m and k may be any, n is even.
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

extern "C" __global__ void __launch_bounds__(256, 2)
multiply(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, bf16 *c, int m, int n, int k)
{
    extern __shared__ __align__(1024) char shared[]; /* the tiles, then a barrier for each pair */
    int t = threadIdx.x, lane = t % 32, warp = t / 32, rounds = (k + DEEP - 1) / DEEP;
    int row = warp / 4 * 64, column = warp % 4 * 32; /* of the warp's elements in the tile */
    unsigned tiles = shared_address(shared), full = tiles + STAGES * 2 * TILE;

    if (t == 0) {
        for (int i = 0; i < STAGES; i++)
            barrier_init(full + 8 * i, 1); /* one thread arrives: the one that asks for the tiles */
        barrier_init_done();
        for (int i = 0; i < STAGES - 1 && i < rounds; i++) {
            barrier_expect(full + 8 * i, 2 * TILE);
            load_box(tiles + i * 2 * TILE, &a, i * DEEP, blockIdx.y * SIDE, full + 8 * i);
            load_box(tiles + i * 2 * TILE + TILE, &b, i * DEEP, blockIdx.x * SIDE, full + 8 * i);
        }
    }
    float sum[4][4][4] = {};
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        __syncthreads(); /* the barriers are ready; nobody reads the tiles of the round before */
        int next = round + STAGES - 1, there = next % STAGES, stage = round % STAGES;
        if (t == 0 && next < rounds) {
            barrier_expect(full + 8 * there, 2 * TILE);
            load_box(tiles + there * 2 * TILE, &a, next * DEEP, blockIdx.y * SIDE, full + 8 * there);
            load_box(tiles + there * 2 * TILE + TILE, &b, next * DEEP, blockIdx.x * SIDE, full + 8 * there);
        }
        barrier_wait(full + 8 * stage, round / STAGES % 2);
        unsigned a_tile = tiles + stage * 2 * TILE, b_tile = a_tile + TILE;
#pragma unroll
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
