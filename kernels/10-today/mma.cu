/* mma: tiles in shared memory, multiplied by tensor cores.
 *
 * ptx: compute_80
 *
 * C = A * B^T. A has m rows, B has n, both k numbers long: a row of C is a row of A times each row of
 * B, and all that is read lies in a row. A block owns 128 x 128 elements of C; one of its 8 warps
 * 64 x 32, in 4 by 4 pieces of 16 x 8. ldmatrix brings four pieces of 8 x 8 numbers from shared memory
 * into the lanes that mma wants them in. Sums are floats, and rounded to bf16 once, at the end.
 *
 * m and n are multiples of 128, k of 64.
 */
#include "hopper.h"

#define SIDE 128
#define DEEP 64              /* numbers of a row at a time: 128 bytes */
#define TILE (SIDE * 2 * DEEP) /* bytes */

/* Where in a tile 16 bytes lie, 8 numbers of a row. */
static __device__ unsigned
place(unsigned row, unsigned eighth)
{
    return row * 128 + eighth * 16;
}

extern "C" __global__ void __launch_bounds__(256, 2)
multiply(const bf16 *a, const bf16 *b, bf16 *c, int m, int n, int k)
{
    __shared__ __align__(16) char tiles[2 * TILE];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int row = warp / 4 * 64, column = warp % 4 * 32; /* of the warp's elements in the tile */
    a += blockIdx.y * SIDE * k;
    b += blockIdx.x * SIDE * k;

    float sum[4][4][4] = {};
#pragma unroll 1
    for (int from = 0; from < k; from += DEEP) {
#pragma unroll
        for (int i = 0; i < 4; i++) { /* 16 bytes each: 32 rows of A and 32 of B at a time */
            int y = t / 8 + 32 * i, eighth = t % 8;
            *(uint4 *)&tiles[place(y, eighth)] = *(const uint4 *)&a[y * k + from + eighth * 8];
            *(uint4 *)&tiles[TILE + place(y, eighth)] = *(const uint4 *)&b[y * k + from + eighth * 8];
        }
        __syncthreads();
        unsigned a_tile = shared_address(tiles), b_tile = a_tile + TILE;
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
        __syncthreads();
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
