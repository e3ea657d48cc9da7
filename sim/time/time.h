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

/* memory.c: everything behind a memory instruction, for all multiprocessors of the card: ports, caches, DRAM.
 *
 * clock.c calls time_memory once for each access that an instruction made. Accesses to global and local memory come in the order
 * of `now` over all multiprocessors; those to shared memory in that of their own multiprocessor only, so they may touch
 * nothing that multiprocessors share. When a->halves is not HALVES_ANY, only address[0] and address[16] are set. */
typedef struct time_memory_state time_memory_state;
typedef struct time_access {
    ticks extra_issue; /* the instruction keeps its issue slot that much longer: further passes over the banks */
    ticks done;        /* when the data of a load are there; of a store or an atomic without a result: when it is over */
    ticks port, dram;  /* of the time from now to done: spent for the multiprocessor's port; for DRAM. The rest is latency */
} time_access;
time_memory_state *time_memory_open(const sim_card *card); /* NULL: out of memory */
void time_memory_close(time_memory_state *m);
time_access time_memory(time_memory_state *m, uint32_t multiprocessor, const access *a, ticks now);

int time_run(launch *l, worker *k); /* all blocks, in timed order; sets l->cycles */

#endif
