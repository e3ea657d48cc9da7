/* run.h: what the files of run/ share. */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "machine/lane_mask.h"

/* warp.c */
void warp_load_split(warp *w, int i);
void warp_merge(warp *w);
int warp_new_split(warp *w);    /* a free one */
void warp_trim_splits(warp *w); /* some have become free */
bool warp_let_end(warp *w);     /* only lanes that wait to end together are left: lets them go */
bool warp_ready(const warp *w);
/* runs until all its splits wait, or its slice or `most` instructions are used up; 0: no such
 * limit */
enum stop warp_run(warp *w, uint32_t most);
/* A warp instruction by instruction, for timed order: picks a split (false: none can run); ends the
 * turn of a split that stopped, for w->stop. */
bool warp_take_turn(warp *w);
void warp_turn_over(warp *w);

/* warp_meeting.c */
void meet_lanes_ended(warp *w);
uint32_t meet_wanted(const warp *w); /* lanes that others wait for at warp operations */

/* block.c. STOP_BLOCKED of block_run: it waits for other blocks of its cluster. */
block *block_new(worker *k);                 /* NULL: out of memory */
bool block_start(block *b, uint64_t linear); /* ready to run block `linear`; false: no memory */
enum stop block_run(block *b);               /* STOP_ENDED, STOP_SLICE: let others run, STOP_FAULT */
/* the same for a block that waits for no other: STOP_SLICE means that it does, or that order is
 * shuffled */
enum stop block_run_out(block *b);
void block_free(block *b);
uint64_t block_finish(block *b);         /* after all threads ended; instructions of the longest warp */
void block_deadlock(block *b);           /* raises the fault: none of its warps can go on */
void block_endless(block *b);            /* raises the fault: the budget of instructions is spent */
void cluster_deadlock(const cluster *c); /* raises the fault: none of its blocks can go on */

/* cluster.c */
bool cluster_start(block **members, uint64_t number); /* cluster `number` of the launch */
void cluster_leave(block *b);                         /* it has ended or is given up */
bool cluster_awaited(const block *b);                 /* some of its threads wait for other blocks */
/* One round of turns of its blocks. STOP_ENDED: all have ended. STOP_SLICE: let others run */
enum stop cluster_run(block **members, uint32_t count);
enum stop cluster_run_out(block **members, uint32_t count);

/* occupancy.c */
uint32_t occupancy_gpcs(const sim_card *c);                 /* groups of multiprocessors */
uint32_t occupancy_gpc_size(const sim_card *c, uint32_t g); /* multiprocessors of group g */
void occupancy_gpc_of(const sim_card *c, uint32_t *of);     /* by multiprocessor: its group */
void occupancy_find(const sim_card *c, uint64_t threads, int registers, uint64_t shared, sim_occupancy *out);
/* The same by an estimate that may be too high, down to `least` (0: it is none): it alone refuses no block. */
void occupancy_estimated(const sim_card *c, uint64_t threads, int estimate, int least, uint64_t shared,
                         sim_occupancy *out);

/* stop.c */
enum { REPORT_EVERY = 65536 }; /* most warp instructions not reported yet */
/* What the budget is for: instructions, and the work that some of them cause. */
static inline uint64_t worker_did(const worker *k) { return k->executed + k->print_cost + k->side_cost; }
uint64_t shuffle_next(worker *k, uint64_t below); /* shuffled order: the next number drawn */
bool launch_should_stop(launch *l, worker *k);

#endif
