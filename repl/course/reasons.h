/* reasons.h: why a verdict is what it is. Each reason carries its word, which lessons, JSON and CSV have:
 * one of reasons.def, or the name of a fault. */
#ifndef COURSE_REASONS_H
#define COURSE_REASONS_H

#include "sim.h"

enum verdict_reason {
#define REASON(id, word) REASON_##id,
#include "reasons.def"
#undef REASON
    REASON_FAULT, /* plus an enum sim_fault_kind */
    REASON_COUNT = REASON_FAULT + SIM_FAULT_KINDS
};

const char *reason_word(int reason);
int reason_called(const char *word); /* REASON_NONE: it is none */

#endif
