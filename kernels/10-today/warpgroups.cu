/* warpgroups: a tile of 128 x 256, and registers where they are needed.
 *
 * ptx: compute_90a
 *
 * A wider tile reads less for each product: 384 rows bring 128 x 256 sums, where 256 brought 128 x 128.
 * But a thread then holds 128 sums, and 384 threads have 168 registers each. The producer, a
 * warpgroup of its own, gives back what it does not need, and the two that multiply take it: 40 and
 * 232. They also leave a product running while they wait for the next tiles: a place in the ring
 * is given back a round later.
 */
#include "hopper.h"

#define ROWS 128
#define COLUMNS 256
#define DEEP 64                          /* numbers of a row at a time: 128 bytes */
#define PAIR ((ROWS + COLUMNS) * 2 * DEEP) /* bytes of a tile of A and one of B */
#define STAGES 4

extern "C" __global__ void __launch_bounds__(384, 1)
multiply(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, bf16 *c, int m, int n, int k)
{
    extern __shared__ __align__(1024) char shared[]; /* the tiles, then two barriers for each pair */
    int t = threadIdx.x, lane = t % 32, warp = t / 32, rounds = (k + DEEP - 1) / DEEP;
    int row = warp / 4 * 64; /* of the warpgroup's elements in the tile */
    unsigned tiles = shared_address(shared), full = tiles + STAGES * PAIR, empty = full + 8 * STAGES;

    if (t == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(full + 8 * i, 1);
            barrier_init(empty + 8 * i, 2); /* the warpgroups that multiply */
        }
        barrier_init_done();
    }
    __syncthreads();

    int stage = 0, lap = 0; /* lap: odd or even */
    if (warp / 4 == 2) {
        fewer_registers<40>();
        if (t == 256)
#pragma unroll 1
            for (int round = 0; round < rounds; round++) {
                barrier_wait(empty + 8 * stage, lap ^ 1); /* in the first lap all places are empty */
                barrier_expect(full + 8 * stage, PAIR);
                unsigned to = tiles + stage * PAIR;
                load_box(to, &a, round * DEEP, blockIdx.y * ROWS, full + 8 * stage);
                load_box(to + ROWS * 128, &b, round * DEEP, blockIdx.x * COLUMNS, full + 8 * stage);
                if (++stage == STAGES)
                    stage = 0, lap ^= 1;
            }
        return;
    }
    more_registers<232>();

    float sum[128];
    int before = -1; /* the place in the ring of the round before */
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        barrier_wait(full + 8 * stage, lap);
        unsigned a_tile = tiles + stage * PAIR + row * 128, b_tile = tiles + stage * PAIR + ROWS * 128;
        products_begin();
#pragma unroll
        for (int i = 0; i < 4; i++) /* 16 numbers of a row: 32 bytes further */
            multiply_64x256(sum, matrix_at(a_tile + 32 * i), matrix_at(b_tile + 32 * i), round + i > 0);
        products_commit();
        products_wait<1>(); /* those of the round before are done, this round's go on */
        if (t % 128 == 0 && before >= 0)
            barrier_arrive(empty + 8 * before);
        before = stage;
        if (++stage == STAGES)
            stage = 0, lap ^= 1;
    }
    products_wait<0>();

    /* A warp has 16 rows; its lane l, of each 8 columns, two of row l / 4 and two of row l / 4 + 8. */
    int c_row = blockIdx.y * ROWS + row + warp % 4 * 16 + lane / 4, c_column = blockIdx.x * COLUMNS + lane % 4 * 2;
#pragma unroll
    for (int x = 0; x < 32; x++) {
        bf16 *to = &c[c_row * n + c_column + 8 * x];
        bool inside = c_column + 8 * x < n;
        if (inside && c_row < m)
            *(unsigned *)to = two_bf16(sum[4 * x], sum[4 * x + 1]);
        if (inside && c_row + 8 < m)
            *(unsigned *)(to + 8 * n) = two_bf16(sum[4 * x + 2], sum[4 * x + 3]);
    }
}
