/* no-fence: the copy unit sends what the threads have not written yet.
 *
 * ptx: compute_90a
 *
 * Threads and the copy unit reach shared memory on different ways (proxies). A barrier orders the
 * threads' accesses among each other, not with the unit's: that takes fence.proxy.async, by the
 * threads that wrote, before the barrier. Here it is missing. Small products come out right all the
 * same; of one of 4096 x 4096, one result in ten thousand is what lay there before.
 */
#include "hopper.h"

#define ROWS 128
#define COLUMNS 256
#define DEEP 64                          /* numbers of a row at a time: 128 bytes */
#define PAIR ((ROWS + COLUMNS) * 2 * DEEP) /* bytes of a tile of A and one of B */
#define STAGES 4
#define GROUP 4
#define BOX (64 * 128) /* bytes of 64 rows of 64 results */

/* Which row and column of tiles; a tile of a pair of blocks has 2 * ROWS rows. */
static __device__ int2
tile_of(int number, int rows, int columns)
{
    int group = number / (GROUP * columns), in = number % (GROUP * columns);
    int high = min(GROUP, rows - group * GROUP); /* the last group may be lower */
    return make_int2(in / high, group * GROUP + in % high);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)
multiply(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b,
         const __grid_constant__ tensor_map c, int m, int n, int k)
{
    extern __shared__ __align__(1024) char shared[]; /* the tiles, four boxes, two barriers for each pair */
    int t = threadIdx.x, lane = t % 32, warp = t / 32, rounds = (k + DEEP - 1) / DEEP;
    int row = warp / 4 * 64; /* of the warpgroup's elements in the tile */
    int rank = cluster_rank(), pair = blockIdx.x / 2, pairs = gridDim.x / 2;
    int rows = (m + 2 * ROWS - 1) / (2 * ROWS), columns = (n + COLUMNS - 1) / COLUMNS;
    unsigned tiles = shared_address(shared), full = tiles + STAGES * PAIR + 4 * BOX, empty = full + 8 * STAGES;

    if (t == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(full + 8 * i, 1);
            barrier_init(empty + 8 * i, 4); /* the warpgroups that multiply, of both blocks */
        }
        barrier_init_done();
    }
    cluster_meet();

    int stage = 0, lap = 0; /* lap: odd or even */
    if (warp / 4 == 2) {
        fewer_registers<40>();
        if (t == 256)
#pragma unroll 1
            for (int number = pair; number < rows * columns; number += pairs) {
                int2 tile = tile_of(number, rows, columns);
                int half = rank * (COLUMNS / 2), y = (2 * tile.y + rank) * ROWS, x = tile.x * COLUMNS + half;
#pragma unroll 1
                for (int round = 0; round < rounds; round++) {
                    barrier_wait(empty + 8 * stage, lap ^ 1); /* in the first lap all places are empty */
                    barrier_expect(full + 8 * stage, PAIR);
                    unsigned to = tiles + stage * PAIR;
                    load_box(to, &a, round * DEEP, y, full + 8 * stage);
                    load_box_for(3, to + (ROWS + half) * 128, &b, round * DEEP, x, full + 8 * stage);
                    if (++stage == STAGES)
                        stage = 0, lap ^= 1;
                }
            }
        cluster_sync();
        return;
    }
    more_registers<232>();

    float sum[128];
    unsigned boxes = tiles + STAGES * PAIR + warp / 4 * 2 * BOX; /* of this warpgroup */
#pragma unroll 1
    for (int number = pair; number < rows * columns; number += pairs) {
        int2 tile = tile_of(number, rows, columns);
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
            if (t % 128 < 2 && before >= 0)
                barrier_arrive_at(empty + 8 * before, t % 128);
            before = stage;
            if (++stage == STAGES)
                stage = 0, lap ^= 1;
        }
        products_wait<0>();
        if (t % 128 < 2)
            barrier_arrive_at(empty + 8 * before, t % 128);

        /* A warp has 16 rows; its lane l, of each 8 columns, two of row l / 4 and two of row l / 4 + 8. */
        int box_row = warp % 4 * 16 + lane / 4;
#pragma unroll
        for (int i = 0; i < COLUMNS / 64; i++) { /* 64 columns are 128 bytes: a box */
            unsigned box = boxes + i % 2 * BOX;
            if (t % 128 == 0)
                store_wait_read<1>(); /* the one before the last has left: this place is free */
            warpgroup_sync(1 + warp / 4);
#pragma unroll
            for (int x = 0; x < 8; x++) {
                unsigned to = box + box_row * 128 + (x ^ box_row % 8) * 16 + lane % 4 * 4;
                const float *four = &sum[32 * i + 4 * x];
                store_4(to, two_bf16(four[0], four[1]));
                store_4(to + 8 * 128, two_bf16(four[2], four[3]));
            }
            warpgroup_sync(1 + warp / 4);
            if (t % 128 == 0)
                store_box(&c, tile.x * COLUMNS + 64 * i, (2 * tile.y + rank) * ROWS + row, box);
        }
    }
    if (t % 128 == 0)
        store_wait_read<0>(); /* shared memory must stay until the last box has left */
    cluster_sync();
}
