/* dram.c: DRAM as channels that each move so many bytes a clock, first come first served. The latency is the caller's. */
#include "memory.h"

void dram_init(dram *d, const sim_timing *t, bool mixed)
{
    memset(d, 0, sizeof *d);
    d->channels = (uint32_t)(t->partitions < 1 ? 1 : t->partitions > CHANNELS_MOST ? CHANNELS_MOST : t->partitions);
    d->row = (uint32_t)t->partition_bytes;
    d->least = (uint32_t)t->dram_least;
    d->quantum = t->dram_bytes > 0 ? (ticks)(256.0 * TICKS * d->channels / t->dram_bytes + 0.5) : 0;
    d->mixed = mixed;
}

ticks dram_move(dram *d, uint64_t address, uint32_t bytes, ticks now, ticks *wait)
{
    uint64_t row = address / d->row;
    ticks *free = &d->free[d->mixed ? spread(row, d->channels) : (uint32_t)(row % d->channels)];
    ticks start = later(*free, now), takes = ((bytes < d->least ? d->least : bytes) * d->quantum + 128) >> 8;
    *free = start + takes;
    d->busy += takes;
    d->bytes += bytes;
    *wait = start - now;
    return *free;
}
