/* coalesce_1x.c: global memory on compute 1.x. The port of a multiprocessor takes one transaction
 * of a half-warp after another; there are no caches. A transaction then waits for its channel of
 * DRAM; its data are back a latency later. Stores take the same way, and nobody waits for them.
 *
 * What is a transaction: on compute 1.0 and 1.1 a half-warp in order, or else each lane by itself.
 * On compute 1.2 and 1.3 (card key time.segments) the lowest lane's word is in a segment of 128
 * bytes (64 for words of 2 bytes, 32 for single bytes). All lanes in that segment share a
 * transaction, which shrinks to the half, and the quarter, that they need. Then comes the lowest
 * lane left, and so on.
 */
#include "memory_state.h"

/* `count` transactions one after the other, all in one row of DRAM, of an access that began at
 * `now`; moves r->done and what it was spent on. */
static void move(time_memory_state *m, uint32_t mp, uint64_t address, uint32_t bytes, uint32_t count, ticks takes,
                 ticks now, time_access *r)
{
    ticks *port = &m->own[mp].port;
    const ticks begin = later(*port, now), all = count * takes;
    *port = begin + all;
    m->own[mp].busy += all;
    const ticks moved = dram_move_some(&m->dram, address, bytes, count, begin + takes, takes);
    if (moved <= r->done) return;
    r->done = moved;
    r->port = *port - now;
    r->behind = moved - *port;
}

/* The transactions of a half-warp by segments; its lanes are `half`. */
static void by_segments(time_memory_state *m, uint32_t mp, const access *a, uint32_t half, ticks now, time_access *r)
{
    const uint32_t segment = a->size == 1 ? 32 : a->size == 2 ? 64 : 128;
    while (half) {
        uint64_t base = access_address(a, first_lane(half)) & ~(uint64_t)(segment - 1), low = UINT64_MAX, high = 0;
        for (uint32_t left = half; left; left &= left - 1) {
            int lane = first_lane(left);
            uint64_t at = access_address(a, lane);
            if ((at & ~(uint64_t)(segment - 1)) != base) continue;
            low = at < low ? at : low;
            high = at + a->size > high ? at + a->size : high;
            half &= ~(UINT32_C(1) << lane);
        }
        uint32_t bytes = segment;
        for (; bytes > 32; bytes /= 2) {
            if (low >= base + bytes / 2) base += bytes / 2;
            else if (high > base + bytes / 2) break;
        }
        move(m, mp, base, bytes, 1, m->port_transaction, now, r);
    }
}

/* Of the lanes `left`, those before the first one in another row of DRAM than the lowest one's. */
static uint32_t in_one_row(const time_memory_state *m, const access *a, uint32_t left)
{
    if (a->halves == HALVES_SAME) return left;
    const int first = first_lane(left);
    const uint64_t address = access_address(a, first), row = m->dram.row, begin = dram_row(&m->dram, address);
    if (a->halves == HALVES_ASCEND) {
        const uint64_t lanes = (begin + row - address + a->size - 1) / a->size; /* from here on in the row */
        return lanes < 16 ? left & ((UINT32_C(1) << first << lanes) - 1) : left;
    }
    for (uint32_t more = left & (left - 1); more; more &= more - 1)
        if (a->address[first_lane(more)] - begin >= row) return left & ((more & -more) - 1);
    return left;
}

/* A half-warp in order is one transaction, any other is one per lane. */
void strict_access(time_memory_state *m, uint32_t mp, const access *a, ticks now, time_access *r)
{
    const sim_timing *t = m->t;
    for (int from = 0; from < 32; from += 16) {
        uint32_t half = a->mask >> from & 0xffff;
        if (!half) continue;
        if (t->segments && a->kind != ACCESS_ATOMIC) {
            by_segments(m, mp, a, half << from, now, r);
            continue;
        }
        bool listed = a->halves == HALVES_ANY;
        bool in_order = a->kind != ACCESS_ATOMIC &&
                        (listed ? count_half_in_order(a, half << from, from)
                                : a->halves == HALVES_ASCEND && a->address[from] % (16 * (uint64_t)a->size) == 0);
        if (in_order) {
            uint32_t bytes = 16 * a->size < 64 ? 64 : 16 * a->size;
            uint64_t first = a->address[listed ? from + first_lane(half) : from] & ~(uint64_t)(bytes - 1);
            move(m, mp, first, bytes, 1, m->port_coalesced, now, r);
            continue;
        }
        for (uint32_t left = half << from; left;) {
            const uint32_t lanes = in_one_row(m, a, left);
            move(m, mp, access_address(a, first_lane(left)), 32, (uint32_t)count_lanes(lanes), m->port_transaction, now,
                 r);
            left &= ~lanes;
        }
    }
    r->done += m->dram_latency;
}
