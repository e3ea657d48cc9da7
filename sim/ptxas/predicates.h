/* predicates.h: predicates, and what chooses by them, as a part of what combine.c does. */
#ifndef SIM_PREDICATES_H
#define SIM_PREDICATES_H

#include "combine.h"

/* True: the instruction at `pc` is dealt with. */
bool choose_either(const combiner *c, uint32_t pc);
bool choose_sum(combiner *c, uint32_t pc);
bool choose_done(combiner *c, uint32_t pc);
void choose_test(combiner *c, uint32_t pc);

#endif
