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
    d->powers = !mixed && !(d->row & (d->row - 1)) && !(d->channels & (d->channels - 1)) && d->row;
    for (uint32_t r = d->row; d->powers && r > 1; r /= 2) d->row_bits++;
}

/* What moving so many bytes takes of a channel. */
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

uint64_t dram_row(const dram *d, uint64_t address) { return d->powers ? address >> d->row_bits << d->row_bits : address - address % d->row; }

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
    *wait = start - now;
    return start + takes;
}

/* The same for `count` requests in one row, each asked for `apart` after the one before and moved when it arrives: when the last one has been moved. */
ticks dram_move_some(dram *d, uint64_t address, uint32_t bytes, uint32_t count, ticks first, ticks apart)
{
    const ticks last = first + (count - 1) * apart;
    ticks wait, done = 0;
    if (count > 1 && !d->share.others) { /* nobody comes between them: the channel waits for the first, or is always busy, or waits for the last */
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
