/* run.h: blocks and warps run: what operations, the clock and a launch call, and what the files of run/ share. */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "check/check.h"

/* ---- warp.c ---- */
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

/* Lanes diverge, reconverge, end. */
const insn *warp_branch(warp *w, const insn *in, uint32_t taken, const insn *to);
/* the running split is at its join, or after it; false: its lanes wait there for others */
bool warp_arrive(warp *w, const insn *in);
const insn *warp_end_lanes(warp *w, const insn *in); /* the lanes in the mask end */
const insn *warp_yield(warp *w, const insn *resume); /* come back to `resume` on the next turn */
const insn *warp_split_off(warp *w, const insn *in, uint32_t others, const insn *other_ip);
const insn *warp_many_ways(warp *w, const insn *in, const uint32_t *pc); /* per-lane targets */

/* ---- warp_meeting.c ---- */
/* Waits for lanes named by the masks at `place`, when some are missing. True: the caller performs the operation
 * for the lanes that are there (w->mask is set to them) and returns warp_met(w, in). False: return *next at
 * once. */
bool warp_meet(warp *w, const insn *in, uint32_t place, const insn **next);
/* `lanes` call the operation with a mask that does not name them. */
void remark_left_out(warp *w, const insn *in, uint32_t lanes, uint32_t mask);
/* the same for all lanes, at this very instruction */
bool warp_meet_aligned(warp *w, const insn *in, const insn **next);
const insn *warp_met(warp *w, const insn *in);
void meet_lanes_ended(warp *w);
uint32_t meet_wanted(const warp *w); /* lanes that others wait for at warp operations */

/* ---- barrier.c ---- */
const insn *barrier_sync(warp *w, const insn *in, uint32_t id, uint32_t threads, bool aligned, uint32_t kind,
                         uint32_t predicate);
/* the same for all threads, no reduction */
const insn *barrier_all(warp *w, const insn *in, uint32_t id, bool aligned);
const insn *barrier_arrive(warp *w, const insn *in, uint32_t id, uint32_t threads);
void barrier_threads_ended(block *b);

/* ---- block.c ---- */
/* STOP_BLOCKED of block_run: it waits for other blocks of its cluster. */
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

/* ---- cluster.c ---- */
/* The barrier of the cluster. */
const insn *cluster_arrive(warp *w, const insn *in, bool relaxed);
const insn *cluster_wait(warp *w, const insn *in);
void cluster_threads_ended(const warp *w, uint32_t lanes); /* these had arrived */
bool cluster_start(block **members, uint64_t number);      /* cluster `number` of the launch */
void cluster_leave(block *b);                              /* it has ended or is given up */
bool cluster_awaited(const block *b);                      /* some of its threads wait for other blocks */
/* One round of turns of its blocks. STOP_ENDED: all have ended. STOP_SLICE: let others run */
enum stop cluster_run(block **members, uint32_t count);
enum stop cluster_run_out(block **members, uint32_t count);

/* ---- builtin.c ---- */
/* sreg_read: true: out[0] holds for all lanes; the others are not filled in. */
const insn *builtin_call(warp *w, const insn *in, const call_info *c, const uint64_t *a, const uint64_t *b);
bool sreg_read(warp *w, uint32_t id, uint32_t component, uint64_t *out);

/* ---- resolve_address.c ---- */
/* Where the lanes of one access lie. Inactive lanes repeat an active one, so that reading them is
 * harmless. */
typedef struct reach {
    uint64_t at[32]; /* in: as the program computes it; out: as in struct access */
    char *host[32];
    alloc *al;     /* global: the allocation that holds every lane, NULL when they differ */
    uint8_t space; /* resolved; SPACE_NONE: the lanes differ, see spaces */
    uint8_t spaces[32];
} reach;
/* Finds `bytes` bytes for each lane of the mask from at[], or raises the fault and returns false. The slow
 * path, for what the operations do not find at once; it leaves the allocation in the worker's cache for
 * them. */
bool memory_reach(warp *w, const insn *in, uint8_t space, uint32_t bytes, enum access_kind kind, reach *r);
bool memory_watch(warp *w, const insn *in, const reach *r, uint32_t bytes, enum access_kind kind, uint8_t order,
                  const void *value, bool no_result); /* r, one space at a time */

/* One lane's `bytes` bytes at a multiple of `align`, any size: as memory_reach, for one lane. */
bool memory_span(warp *w, const insn *in, uint8_t space, int lane, uint64_t at, uint64_t bytes, uint32_t align,
                 enum access_kind kind, uint64_t *within, uint8_t *resolved, char **host, alloc **al);

/* ---- occupancy.c ---- */
uint32_t occupancy_gpcs(const sim_card *c);                 /* groups of multiprocessors */
uint32_t occupancy_gpc_size(const sim_card *c, uint32_t g); /* multiprocessors of group g */
void occupancy_gpc_of(const sim_card *c, uint32_t *of);     /* by multiprocessor: its group */
void occupancy_find(const sim_card *c, uint64_t threads, int registers, uint64_t shared, sim_occupancy *out);
/* The same by an estimate that may be too high, down to `least` (0: it is none): it alone refuses no block. */
void occupancy_estimated(const sim_card *c, uint64_t threads, int estimate, int least, uint64_t shared,
                         sim_occupancy *out);

/* ---- stop.c ---- */
/* This cannot be done while blocks run in parallel. True: the launch starts again in order; return NULL. */
bool launch_serial(warp *w, const insn *in);

enum { REPORT_EVERY = 65536 }; /* most warp instructions not reported yet */
/* What the budget is for: instructions, and the work that some of them cause. */
static inline uint64_t worker_did(const worker *k) { return k->executed + k->print_cost + k->side_cost; }
uint64_t shuffle_next(worker *k, uint64_t below); /* shuffled order: the next number drawn */
bool launch_should_stop(launch *l, worker *k);

#endif
