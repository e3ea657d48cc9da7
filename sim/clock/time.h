/* time.h: launches in timed order. Begin with clock.c.
 *
 *     clock.c          multiprocessors, blocks, warps in the order of time
 *     queue.h          the warps of one scheduler, by when they can issue
 *     issue.c          a step is issued, and which one comes next
 *     course.c         which multiprocessor goes on next, and which of them side by side
 *     ahead.h          what a warp performs ahead of its time
 *     filming.c        what one multiprocessor does, told instruction by instruction
 *     over_time.h      how busy a multiprocessor is over the time of the launch
 *     skip.c           parts of very long waves that run without the clock
 *     clock_report.c   what a launch reports in the end
 *     sample.c         how long all blocks take, from some
 */
#ifndef SIM_TIME_H
#define SIM_TIME_H

#include "memory_time/memory_time.h"
#include "ptxas/ptxas.h"

enum { CLOCK_GROUPS = 12 }; /* of multiprocessors, at most */
time_run_fn SIM_NAME(time_run);
/* Runs in timed order all blocks that are to be timed; sets l->cycles. Each worker from `k` on is
 * for one group of multiprocessors; groups may run side by side (l->crew). */
static inline int time_run(launch *l, worker *k, int groups) { return l->s->time_run(l, k, groups); }

#endif
