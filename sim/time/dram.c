/* dram.c: DRAM as channels that each move so many bytes a clock, first come first served. The latency is the caller's. */
#include "memory.h"

void dram_init(dram *d, const sim_timing *t, bool mixed)
{
    memset(d, 0, sizeof *d);
    d->channels = (uint32_t)(t->partitions < 1 ? 1 : t->partitions > CHANNELS_MOST ? CHANNELS_MOST : t->partitions);
    d->row = (uint32_t)t->partition_bytes;
    d->least = (uint32_t)t->dram_least;
    d->rate = t->dram_bytes > 0 ? t->dram_bytes : 1e9;
    d->mixed = mixed;
}

ticks dram_move(dram *d, uint64_t address, uint32_t bytes, ticks asked, ticks now, ticks *wait)
{
    uint64_t row = address / d->row;
    uint32_t channel = d->mixed ? deal(row, d->channels) : (uint32_t)(row % d->channels);
    ticks *free = &d->free[channel];
    ticks start = later(*free, asked), takes = ticks_of((bytes < d->least ? d->least : bytes) * d->channels / d->rate);
    *free = start + takes;
    share_others(&d->share, d->free, d->busy, channel, takes, asked);
    d->bytes += bytes;
    start = later(start, now);
    *wait = start - now;
    return start + takes;
}
