/* time.h: launches in timed order. See clock.c. */
#ifndef SIM_TIME_H
#define SIM_TIME_H

#include "../run/run.h"

/* Times are whole ticks, 64 to a clock, so that sums do not depend on the host. */
typedef int64_t ticks;
enum { TICKS = 64 };
static inline ticks ticks_of(double clocks) { return (ticks)(clocks * TICKS + 0.5); }

/* What one instruction costs; clock.c charges it, cost.c estimates it from the PTX. */
typedef struct cost {
    ticks issue, latency;               /* 0 issue: the machine code has no such instruction */
    ticks second_issue, second_latency; /* a second machine instruction that needs the first one's result */
    uint16_t source[8], target[4];      /* registers, numbered densely over the frame; */
    uint8_t sources, targets;
    bool branch, memory;
} cost;
cost *cost_table(const code_module *m, const sim_timing *t, uint32_t *registers); /* by pc; freed by the caller */

/* memory.c: the memory port of one multiprocessor, and the DRAM behind all of them */
typedef struct time_port { ticks free; } time_port;
typedef struct time_dram { ticks free[16]; } time_dram;
typedef struct time_access { ticks extra_issue, done; } time_access; /* done: when the data of a load are there */
time_access time_memory(const sim_timing *t, time_port *port, time_dram *dram, const access *a, ticks now);

int time_run(launch *l, worker *k); /* all blocks, in timed order; sets l->cycles */

#endif
