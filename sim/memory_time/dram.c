/* dram.c: DRAM as channels that each move so many bytes per clock, first come first served. The
 * latency is the caller's.
 *
 * Real channels are not that simple: they open and close rows, turn from reading to writing, and
 * serve first what fits. So requests take longer long before all channels are busy: the more are
 * under way, the longer. Before a server that is busy for a part r of the time, work that comes by
 * chance waits in proportion to r / (1 - r); here that is `crowd` times this. Of requests under way
 * that need n clocks of all channels together, r is n / T when each takes T. So T = alone + crowd *
 * r / (1 - r) is the larger solution of (T - alone) * (T - n) = crowd * n: `alone` while there are
 * few, n when there are very many, and more than both in between. That needs no averages over time,
 * which would swing: more under way make all of it slower, not fewer.
 */
#include "rules.h"
#include "memory_state.h"
#include <math.h>

void dram_init(dram *d, const sim_timing *t, bool mixed)
{
    memset(d, 0, sizeof *d);
    d->channels = (uint32_t)(t->partitions < 1 ? 1 : t->partitions > CHANNELS_MOST ? CHANNELS_MOST : t->partitions);
    d->row = (uint32_t)t->partition_bytes;
    d->least = (uint32_t)t->dram_least;
    d->rate = t->dram_bytes > 0 ? t->dram_bytes : 1e9;
    d->mixed = mixed;
    d->alone = t->dram_latency;
    d->crowd = mixed && !rule_left_out(RULE_dram_crowd) ? t->dram_crowd : 0;
    d->powers = !mixed && !(d->row & (d->row - 1)) && !(d->channels & (d->channels - 1)) && d->row;
    for (uint32_t r = d->row; d->powers && r > 1; r /= 2) d->row_bits++;
}

/* How long moving so many bytes keeps a channel. */
static ticks takes_of(dram *d, uint32_t bytes)
{
    if (bytes != d->last_bytes) {
        d->last_bytes = bytes;
        d->last_takes = ticks_of((bytes < d->least ? d->least : bytes) * d->channels / d->rate);
    }
    return d->last_takes;
}

static uint32_t channel_of(const dram *d, uint64_t address)
{
    if (d->powers) return (uint32_t)(address >> d->row_bits) & (d->channels - 1);
    const uint64_t row = address / d->row;
    return d->mixed ? deal(row, d->channels) : (uint32_t)(row % d->channels);
}

uint64_t dram_row(const dram *d, uint64_t address)
{
    return d->powers ? address >> d->row_bits << d->row_bits : address - address % d->row;
}

enum { SLOT = 64 * TICKS };

/* How much longer than alone a request is under way that keeps its channel for `takes`. What is
 * under way leaves in slots of time. */
static ticks crowded(dram *d, ticks takes, ticks asked)
{
    const int64_t slot = asked / SLOT;
    if (slot - d->slot >= DUE_SLOTS) {
        memset(d->due, 0, sizeof d->due);
        d->under_way = 0;
        d->slot = slot;
    }
    for (; d->slot < slot; d->slot++) {
        d->under_way -= d->due[d->slot % DUE_SLOTS];
        d->due[d->slot % DUE_SLOTS] = 0;
    }
    const double n = (double)d->under_way / ((double)d->share.timed * d->channels * TICKS), apart = d->alone - n;
    const double took = (d->alone + n + sqrt(apart * apart + 4 * d->crowd * n)) / 2;
    const int64_t mine = takes * (int64_t)(d->share.timed + d->share.others), end = (asked + ticks_of(took)) / SLOT;
    d->under_way += mine;
    d->due[(end - slot < DUE_SLOTS ? end : slot + DUE_SLOTS - 1) % DUE_SLOTS] += mine;
    return ticks_of(took - d->alone);
}

ticks dram_move(dram *d, uint64_t address, uint32_t bytes, ticks asked, ticks now, ticks *wait)
{
    const uint32_t channel = channel_of(d, address);
    ticks *free = &d->free[channel];
    ticks start = later(*free, asked);
    const ticks takes = takes_of(d, bytes);
    *free = start + takes;
    share_others(&d->share, d->free, d->busy, channel, takes, asked);
    d->bytes += bytes;
    start = later(start, now);
    if (d->crowd > 0) d->slow = crowded(d, takes, asked);
    *wait = start - now;
    return start + takes;
}

/* The same for `count` requests in one row, each asked for `apart` after the one before and moved
 * on arrival. Returns when the last one has been moved. */
ticks dram_move_some(dram *d, uint64_t address, uint32_t bytes, uint32_t count, ticks first, ticks apart)
{
    const ticks last = first + (count - 1) * apart;
    ticks wait, done = 0;
    /* nothing comes between them: the channel waits for the first, or is always busy, or waits for
     * the last */
    if (count > 1 && !d->share.others) {
        const uint32_t channel = channel_of(d, address);
        const ticks takes = takes_of(d, bytes), all = count * takes;
        done = later(later(d->free[channel], first) + all, last + takes);
        d->free[channel] = done;
        d->busy[channel] += all;
        d->bytes += (uint64_t)count * bytes;
        return done;
    }
    for (uint32_t i = 0; i < count; i++, first += apart) done = dram_move(d, address, bytes, first, first, &wait);
    return done;
}
