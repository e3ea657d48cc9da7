/* unknown_spread.h: how unknown bits spread from the operands of an instruction to its results. */
#ifndef SIM_UNKNOWN_SPREAD_H
#define SIM_UNKNOWN_SPREAD_H

#include "unknown.h"

enum spread_how {
    SPREAD_UNSAID, /* there is no row */
    SPREAD_ALL,
    SPREAD_MOVES,
    SPREAD_LOGIC,
    SPREAD_LOP3,
    SPREAD_SELP,
    SPREAD_SETP,
    SPREAD_CNOT,
    SPREAD_CVT,
    SPREAD_MEMORY,
    SPREAD_MEETS,
    SPREAD_NOT
};
typedef struct spread_rule {
    uint8_t how;
    uint16_t strict;  /* a bit per o[] that must be known */
    uint8_t control;  /* SPREAD_MOVES: operands that say how bits move */
    uint8_t table;    /* SPREAD_LOGIC: of the bits of o[1], o[2] and o[3] */
    bool effect;      /* visible outside the lane: its guard must be known */
    const char *does; /* with what must be known */
} spread_rule;
extern const spread_rule spread_rules[OP_COUNT];
void unknown_spread(warp *w, const insn *in, uint32_t mask);

#endif
