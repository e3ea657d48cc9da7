/* strict.c: global memory on compute 1.0 and 1.1: the port of a multiprocessor takes one transaction of a half-warp after another, there
 * are no caches. A transaction then waits for its channel of DRAM; the data are back a latency later. Stores occupy the same way
 * and nobody waits for them.
 */
#include "memory.h"

/* One transaction of an access that began at `now`; moves r->done and what it was spent for. */
static void one(time_memory_state *m, uint32_t mp, uint64_t address, uint32_t bytes, double takes, ticks now, time_access *r)
{
    ticks *port = &m->port[mp], wait;
    *port = later(*port, now) + ticks_of(takes);
    m->port_busy[mp] += ticks_of(takes);
    ticks moved = dram_move(&m->dram, address, bytes, *port, *port, &wait);
    if (moved <= r->done) return;
    r->done = moved;
    r->port = *port - now;
    r->dram = moved - *port;
}

/* A half-warp in order is one transaction, any other is one for each lane. */
void strict_access(time_memory_state *m, uint32_t mp, const access *a, ticks now, time_access *r)
{
    const sim_timing *t = m->t;
    for (int from = 0; from < 32; from += 16) {
        uint32_t half = a->mask >> from & 0xffff;
        if (!half) continue;
        bool listed = a->halves == HALVES_ANY;
        bool in_order = a->kind != ACCESS_ATOMIC &&
                        (listed ? count_half_in_order(a, half << from, from) :
                                  a->halves == HALVES_ASCEND && a->address[from] % (16 * (uint64_t)a->size) == 0);
        if (in_order) {
            uint32_t bytes = 16 * a->size < 64 ? 64 : 16 * a->size;
            uint64_t first = a->address[listed ? from + check_first(half) : from] & ~(uint64_t)(bytes - 1);
            one(m, mp, first, bytes, t->port_coalesced, now, r);
            continue;
        }
        for (; half; half &= half - 1) {
            int lane = from + check_first(half);
            uint64_t at = listed ? a->address[lane] : a->address[from] + (a->halves == HALVES_ASCEND ? (uint64_t)(lane - from) * a->size : 0);
            one(m, mp, at, 32, t->port_transaction, now, r);
        }
    }
    r->done += m->dram_latency;
}
