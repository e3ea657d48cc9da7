/* memory.c: what a memory access costs: the port of its multiprocessor, the card's coalescing rule, DRAM in partitions.
 *
 * A port takes one transaction after another; a transaction then waits for its partition of DRAM, which moves so many bytes a
 * clock, first come first served; the data are back a latency later. Stores occupy the same way and nobody waits for them.
 */
#include "time.h"
#include "../check/check.h"
#include <stdlib.h>

struct time_memory_state {
    const sim_timing *t;
    ticks dram[16]; /* when each partition is free */
    ticks port[];   /* when the port of each multiprocessor is free */
};

time_memory_state *time_memory_open(const sim_card *card)
{
    time_memory_state *m = calloc(1, sizeof *m + sizeof *m->port * (size_t)card->multiprocessors);
    if (m) m->t = &card->timing;
    return m;
}

void time_memory_close(time_memory_state *m) { free(m); }

/* One transaction of an access that began at `now`; moves r->done and what it was spent for. */
static void one(time_memory_state *m, uint32_t mp, uint64_t address, uint32_t bytes, double takes, ticks now, time_access *r)
{
    const sim_timing *t = m->t;
    ticks *port = &m->port[mp];
    *port = (*port > now ? *port : now) + ticks_of(takes);
    int n = t->partitions < 1 ? 1 : t->partitions > 16 ? 16 : t->partitions;
    ticks *dram = &m->dram[address / (uint64_t)t->partition_bytes % (uint64_t)n];
    *dram = (*dram > *port ? *dram : *port) + ticks_of(bytes * n / t->dram_bytes);
    if (*dram <= r->done) return;
    r->done = *dram;
    r->port = *port - now;
    r->dram = *dram - *port;
}

/* Compute 1.0 and 1.1: a half-warp in order is one transaction, any other is one for each lane. */
static void by_half_warps(time_memory_state *m, uint32_t mp, const access *a, ticks now, time_access *r)
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
}

time_access time_memory(time_memory_state *m, uint32_t multiprocessor, const access *a, ticks now)
{
    const sim_timing *t = m->t;
    time_access r = {.done = now};
    if (a->space == SPACE_SHARED) {
        unsigned least = (a->mask & 0xffff ? 1 : 0) + (a->mask >> 16 ? 1 : 0), passes = least * (a->size > 4 ? a->size / 4 : 1);
        if (a->halves == HALVES_ANY) {
            pattern p;
            watch_see(&p, a);
            passes = count_passes_16(a, &p);
        }
        r.extra_issue = ticks_of(t->shared_pass * (passes > least ? passes - least : 0));
        r.done = now + r.extra_issue + ticks_of(t->shared_latency);
    } else if (a->space == SPACE_GLOBAL || a->space == SPACE_LOCAL) {
        by_half_warps(m, multiprocessor, a, now, &r);
        r.done += ticks_of(t->dram_latency);
    } else {
        r.done = now + ticks_of(t->latency);
    }
    return r;
}
