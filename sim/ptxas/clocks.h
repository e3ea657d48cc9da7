/* clocks.h: how time is counted. */
#ifndef SIM_CLOCKS_H
#define SIM_CLOCKS_H

#include "run/run.h"

/* Issue counts in whole clocks of the multiprocessor, memory in ticks, 64 per clock. Sums of whole
 * numbers do not depend on the host. */
typedef int64_t clocks;
typedef int64_t ticks;
enum { TICKS = 64 };
static inline ticks ticks_of(double c) { return (ticks)(c * TICKS + 0.5); }
static inline uint32_t clocks_of(double c) { return (uint32_t)(c + 0.5); }

/* When a register is ready, and why, so that a wait is booked under its cause: | clock : 44 | share
 * of the port : 8 | share of what comes after it : 8 | SIM_STALL_ : 4 |. The later of two is the
 * greater. */
typedef int64_t key;
static inline key key_of(clocks at, enum sim_stall cause) { return at << 20 | (key)cause; }
static inline clocks key_clock(key k) { return k >> 20; }
static inline key latest(key a, key b) { return a > b ? a : b; }

#endif
