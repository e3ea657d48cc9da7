/* happens_before.h: what orders the accesses of threads. */
#ifndef SIM_HAPPENS_BEFORE_H
#define SIM_HAPPENS_BEFORE_H

#include "race.h"

/* Is the access stamped `time` in block `linear`, by lane `other_lane` of warp
 * `other_warp`, ordered before what lane `me` of w does now? */
bool race_ordered(warp *w, uint32_t me, uint64_t linear, uint32_t time, uint32_t other_warp, uint32_t other_lane);
void race_advance(struct block_order *o);
void race_synchronise(warp *w, const access *a); /* a strong access: releases and acquires */
void sync_set_clear(race_worker *k, sync_set *s);
void sync_set_free(race_worker *k, sync_set *s);

#endif
