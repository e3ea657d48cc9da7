/* swizzle: rows of a tile begin in different banks.
 *
 * ptx: compute_80
 *
 * A row of a tile is 128 bytes, all 32 banks. So the same 16 bytes of 8 rows, which ldmatrix reads at
 * a time, lie in the same 4 banks: 8 turns instead of one. Here the 16 bytes with number e of row r
 * lie at place e ^ (r % 8). Nothing is padded: a tile stays 128 rows of 128 bytes.
 *
 * m and n are multiples of 128, k of 64.
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

/* Starts the copies of a pair of tiles. */
static __device__ void
fetch(unsigned to, const bf16 *a, const bf16 *b, int k)
{
#pragma unroll
    for (int i = 0; i < 4; i++) { /* 16 bytes each: 32 rows of A and 32 of B at a time */
        int y = threadIdx.x / 8 + 32 * i, eighth = threadIdx.x % 8;
        copy_16(to + place(y, eighth), &a[y * k + eighth * 8]);
        copy_16(to + TILE + place(y, eighth), &b[y * k + eighth * 8]);
    }
}

extern "C" __global__ void __launch_bounds__(256, 2)
multiply(const bf16 *a, const bf16 *b, bf16 *c, int m, int n, int k)
{
    extern __shared__ __align__(1024) char tiles[]; /* STAGES * 2 * TILE: more than 48 KiB must be asked for */
    int t = threadIdx.x, lane = t % 32, warp = t / 32, rounds = k / DEEP;
    int row = warp / 4 * 64, column = warp % 4 * 32; /* of the warp's elements in the tile */
    a += blockIdx.y * SIDE * k;
    b += blockIdx.x * SIDE * k;

#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < rounds)
            fetch(shared_address(tiles) + i * 2 * TILE, a + i * DEEP, b + i * DEEP, k);
        copy_commit();
    }
    float sum[4][4][4] = {};
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        copy_wait<STAGES - 2>();
        __syncthreads(); /* this round's tiles are there, and nobody reads those of the round before */
        int next = round + STAGES - 1;
        if (next < rounds)
            fetch(shared_address(tiles) + next % STAGES * 2 * TILE, a + next * DEEP, b + next * DEEP, k);
        copy_commit(); /* a group without copies, at the end, keeps the count right */
        unsigned a_tile = shared_address(tiles) + round % STAGES * 2 * TILE, b_tile = a_tile + TILE;
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
            *(unsigned *)to = two_bf16(sum[y][x][0], sum[y][x][1]);
            *(unsigned *)(to + 8 * n) = two_bf16(sum[y][x][2], sum[y][x][3]);
        }
}
