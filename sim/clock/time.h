/* time.h: launches in timed order. clock.c is where to begin.
 *
 *     clock.c          multiprocessors, blocks, warps in the order of time
 *     queue.h          the warps of one scheduler by when they can issue
 *     issue.h          a step is issued, and which one comes next
 *     course.h         which multiprocessor goes on next, and which of them side by side
 *     ahead.h          what a warp performs ahead of its time
 *     skip.h           parts of very long fillings that are left out
 *     clock_report.c   what there is to say of them when all is over
 *     sample.c         how long all blocks take, from some
 */
#ifndef SIM_TIME_H
#define SIM_TIME_H

#include "memory_time/memory_time.h"
#include "ptxas/ptxas.h"

enum { CLOCK_GROUPS = 12 }; /* of multiprocessors, at most */
time_run_fn SIM_NAME(time_run);
/* Blocks in timed order: all that are to be timed; sets l->cycles. Each of the workers from `k` on
 * is for one group of multiprocessors; they may go on side by side (l->crew). */
static inline int time_run(launch *l, worker *k, int groups) { return l->s->time_run(l, k, groups); }

/* ---- sample.c ---- */
/* the sample has been run, the others have not: about what time_finish will say of l->cycles */
uint64_t time_soon(const launch *l);
/* after the others have run: l->cycles of all; those from all[1] on ran the sample (l->clocks) */
void time_finish(launch *l, worker *all, int n);

#endif
