/* race_memory.h: the memory of the race checker. */
#ifndef SIM_RACE_MEMORY_H
#define SIM_RACE_MEMORY_H

#include "race.h"

race_alloc *race_alloc_new(struct race_state *s, alloc *al); /* al->shadow; NULL: not watched */
void *race_memory(race_worker *k, size_t bytes);             /* zeroed, accounted; NULL: out of memory, limit */
void race_memory_free(race_worker *k, void *p, size_t bytes);

void race_cells_free(struct race_state *s); /* of global memory, and the state itself */

#endif
