/* count.h: the counters of a launch (counters.def). */
#ifndef SIM_COUNT_H
#define SIM_COUNT_H

#include "watch.h"

void count_finish(launch *l, worker *all, int n);

bool count_half_in_order(const access *a, uint32_t half, int from);     /* coalesced on compute 1.0, 1.1 */
unsigned count_halves_32(uint64_t first, uint64_t second, bool ascend); /* 4-byte words, common shape */
void count_access(warp *w, const access *a, pattern *p);
/* One thread's bulk copy: bytes of global memory, in so many sectors, and of shared memory. */
/* combined: elements, of a copy that reduces */
void count_bulk(warp *w, const insn *in, int lane, uint64_t global, uint64_t sectors, uint64_t shared,
                uint64_t combined);
/* so many equal accesses; false: not such a shape, use count_access */
bool count_halves(warp *w, const warp_halves *h, uint64_t times);
void count_run(slot_counts *c, uint64_t at, bool shared, uint32_t size, uint32_t first, uint32_t lanes);
void count_other_lanes(warp *w, uint32_t mask);
void count_block_start(block *b);
void count_block_end(block *b);
/* The lanes of the mask read or wrote so many bytes each. */
static inline void count_lane_bytes(warp *w, uint32_t mask, uint64_t bytes)
{
    if (mask != w->same_lanes) count_other_lanes(w, mask);
    w->same_bytes += bytes;
}

/* banks.c */
unsigned count_passes_16(const access *a, const pattern *p); /* over 16 banks, half-warps */
unsigned count_passes_32(const access *a, const pattern *p);
void count_turns(slot_counts *c, const access *a, const pattern *p); /* of atomics */

#endif
