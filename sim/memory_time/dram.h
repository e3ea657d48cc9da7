/* dram.h: channels of DRAM, each first come first served. */
#ifndef SIM_DRAM_H
#define SIM_DRAM_H

#include "untimed_traffic.h"

enum { CHANNELS_MOST = 64, DUE_SLOTS = 1024 };
typedef struct dram {
    ticks free[CHANNELS_MOST];
    double rate; /* bytes per clock of all of them */
    uint32_t channels, row, least;
    bool mixed;  /* rows are spread over the channels by a hash */
    bool powers; /* channels and row are powers of two (row: of row_bits), and nothing is mixed */
    uint32_t row_bits, last_bytes;
    ticks last_takes; /* what last_bytes took of a channel */
    share share;
    ticks busy[CHANNELS_MOST];
    uint64_t bytes;
    double alone, crowd;          /* clocks: of a request alone; how soon others make it longer */
    int64_t under_way;            /* what requests under way take of their channels, times multiprocessors timed */
    int64_t due[DUE_SLOTS], slot; /* how much of that leaves in each slot of time from `slot` on */
    ticks slow;                   /* by how much the last request takes longer than alone, at least */
} dram;
void dram_init(dram *d, const sim_timing *t, bool mixed);
/* Moves `bytes` at `address` for a request that arrives at `now`; returns when they have been
 * moved. *wait: for others before it. Requests come here in the order in which they were asked for
 * (`asked`), not of their arrival: a channel does not lie idle until one comes that was held up on
 * its way. */
ticks dram_move(dram *d, uint64_t address, uint32_t bytes, ticks asked, ticks now, ticks *wait);
ticks dram_move_some(dram *d, uint64_t address, uint32_t bytes, uint32_t count, ticks first, ticks apart);
uint64_t dram_row(const dram *d, uint64_t address); /* where its row begins */

#endif
