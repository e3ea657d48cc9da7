/* memory.c: what a memory access costs: the port of its multiprocessor, the card's coalescing rule, DRAM in partitions.
 *
 * A port takes one transaction after another; a transaction then waits for its partition of DRAM, which moves so many bytes a
 * clock, first come first served; the data are back a latency later. Stores occupy the same way and nobody waits for them.
 */
#include "time.h"
#include "../check/check.h"

static ticks transfer(const sim_timing *t, time_dram *d, uint64_t address, uint32_t bytes, ticks from)
{
    int n = t->partitions < 1 ? 1 : t->partitions > 16 ? 16 : t->partitions;
    ticks *busy = &d->free[address / (uint64_t)t->partition_bytes % (uint64_t)n];
    ticks begin = *busy > from ? *busy : from;
    *busy = begin + ticks_of(bytes * n / t->dram_bytes);
    return *busy;
}

static ticks one(const sim_timing *t, time_port *p, time_dram *d, uint64_t address, uint32_t bytes, double clocks, ticks now)
{
    ticks begin = p->free > now ? p->free : now;
    p->free = begin + ticks_of(clocks);
    return transfer(t, d, address, bytes, p->free);
}

/* Compute 1.0 and 1.1: a half-warp in order is one transaction, any other is one for each lane. */
static ticks by_half_warps(const sim_timing *t, time_port *p, time_dram *d, const access *a, ticks now)
{
    ticks done = now;
    for (int from = 0; from < 32; from += 16) {
        uint32_t half = a->mask >> from & 0xffff;
        if (!half) continue;
        if (a->kind != ACCESS_ATOMIC && count_half_in_order(a, half, from)) {
            uint32_t bytes = 16 * a->size < 64 ? 64 : 16 * a->size;
            uint64_t first = a->address[from + check_first(half)] & ~(uint64_t)(bytes - 1);
            ticks end = one(t, p, d, first, bytes, t->port_coalesced, now);
            if (end > done) done = end;
            continue;
        }
        for (; half; half &= half - 1) {
            ticks end = one(t, p, d, a->address[from + check_first(half)], 32, t->port_transaction, now);
            if (end > done) done = end;
        }
    }
    return done;
}

time_access time_memory(const sim_timing *t, time_port *port, time_dram *dram, const access *a, ticks now)
{
    time_access r = {0, now};
    if (a->space == SPACE_SHARED) {
        pattern p;
        watch_see(&p, a);
        unsigned passes = count_passes_16(a, &p), least = (a->mask & 0xffff ? 1 : 0) + (a->mask >> 16 ? 1 : 0);
        ticks extra = ticks_of(t->shared_pass * (passes > least ? passes - least : 0));
        r.extra_issue = extra;
        r.done = now + extra + ticks_of(t->shared_latency);
    } else if (a->space == SPACE_GLOBAL || a->space == SPACE_LOCAL) {
        r.done = by_half_warps(t, port, dram, a, now) + ticks_of(t->memory_latency);
    } else {
        r.done = now + ticks_of(t->latency);
    }
    return r;
}
