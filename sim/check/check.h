/* check.h: the checkers and counters, and what the code that runs launches, blocks and barriers
 * must call.
 *
 * A launch (one host thread; `workers` is how many will run its blocks):
 *
 *  fault_log_start(l)            always, before anything may fault; l->result->owner is an arena
 *  init_launch_start(l)          always, also when nothing is watched: drops bitmaps that are stale
 *  race_launch_start(l, workers) when l->watch & WATCH_RACE; false: out of memory
 *    ... blocks ...
 *  count_finish(l, all, n)       results of the workers that count, see below
 *  race_launch_finish(l)         when it was started; frees all, fills result->checker_bytes
 *  fault_log_finish(l)           moves faults into the result; sets result->code for all but notes
 *
 * A second attempt (blocks run in parallel depended on each other, or one faulted) first undoes the
 * writes. Then it calls fault_log_reset(l), init_launch_undo(l), and race_launch_finish +
 * race_launch_start again; workers get fresh counts. init_launch_undo takes back what the first
 * attempt marked as written. It needs init_launch_keep(l) before that attempt, and
 * init_launch_forget(l) when the launch is over.
 *
 * A block, once its id, linear number, shared memory and warps are set, before the first
 * instruction:
 *
 *  init_block_start(b)           when b->shared_init is set: shared memory counts as unwritten
 *  init_warp_start(w)            for each warp, likewise; w->local_init has 32 * local_stride bits,
 *                                lane after lane, or is NULL
 *  race_block_start(b)           when WATCH_RACE; false: out of memory. Sets b->order and w->order
 *  ...
 *  race_block_end(b)             when it is done or given up, also after a fault
 * w->local_init has 0 bits when local_stride is 0. Sizes: INIT_WORDS(bytes) uint64_t each.
 *
 * Barriers and fences (all return at once when races are not watched):
 *  watch_barrier_arrive(w, id)   in bar.arrive, before it can complete the barrier: w->mask arrives
 *  watch_proxy_fence(w)          fence.proxy.async, for shared memory; w->mask executes it
 *  watch_block_barrier(b, id, lanes, everyone)
 *                                when barrier id completes, before any lane goes on; lanes[i] took
 *                                part (those of bar.arrive too); everyone: all live threads did
 *  watch_warp_barrier(w, lanes)  bar.warp.sync, when `lanes` have arrived. Not for shfl, vote,
 *                                match: they order no memory
 *  watch_fence(w, in, scope)     membar, fence: ORDER_SCOPE_...; w->mask executes it
 *
 * Accesses: watch_access(w, &a) before the access is performed, whenever w->watch has WATCH_COUNT,
 * WATCH_INIT or WATCH_RACE. Addresses of lanes outside the mask are never used.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "count.h"
#include "faults.h"
#include "init.h"

/* ---- race_memory.c ---- */
bool race_launch_start(launch *l, int workers);
void race_launch_finish(launch *l);
bool race_block_start(block *b);
void race_block_end(block *b);

/* ---- race.c ---- */
void race_access(warp *w, const access *a, const pattern *p);
void race_halves(warp *w, const warp_halves *h);
/* All its threads have ended: is that after what other blocks of its cluster did in its shared memory? */
void race_block_leaves(block *b);

/* ---- race_report.c ---- */
const char *race_advice(enum race_scope scope);
/* A block has ended before a bulk copy that it issued had read its shared memory. */
void race_say_unread(const block *b, const insn *in, uint32_t thread, uint64_t address, uint32_t bytes);

/* ---- happens_before.c: barriers and fences; see above ---- */
/* barrier id is complete */
void watch_block_barrier(block *b, uint32_t id, const uint32_t *lanes_by_warp, bool everyone);
void watch_barrier_arrive(warp *w, uint32_t id); /* the lanes of the mask, without waiting */
void watch_warp_barrier(warp *w, uint32_t lanes);
void watch_warpgroup(block *b, uint32_t first, uint32_t count); /* these warps have issued a product together */
void watch_fence(warp *w, const insn *in, uint32_t scope);
/* The cluster's barrier: the lanes of the mask arrive; all have arrived; lanes go on after it. */
void watch_cluster_arrive(warp *w, bool relaxed);
void watch_cluster_met(cluster *c);
void watch_cluster_wait(warp *w, uint32_t lanes);

/* ---- proxy.c ---- */
void watch_proxy_fence(warp *w);
/* A bulk copy reads shared memory from now on: a time; and has read it, `began` being that time. */
uint64_t watch_copy_begins(warp *w);
void watch_copy_over(warp *w, const insn *in, int lane, uint64_t at, uint32_t bytes, uint64_t began);
/* A product of the block begins, or ends, to read 16 bytes of shared memory at `at`; `thread` of the
 * block issued it. */
void watch_product(block *b, const insn *in, uint32_t thread, uint32_t at, bool begins);
/* A lane issues a bulk copy to `bytes` bytes of its block's shared memory. It lands later, but may
 * land at once: no product may be reading there. */
void watch_bulk_issue(warp *w, const insn *in, int lane, const block *b, uint64_t at, uint32_t bytes);

/* ---- barrier_objects.c ---- */
void barrier_objects_fence(warp *w); /* fence.mbarrier_init or fence.proxy.async by w->mask */

/* ---- earlier_launch.c ---- */
void earlier_launch_free(sim *s,
                         const struct sim_module *m); /* what is kept of a launch of that module; NULL: of any */
void earlier_launch_wait(warp *w);                    /* griddepcontrol.wait by w->mask, when WATCH_RACE */

/* ---- unknown_memory.c ---- */
/* Frees it, if any. */
void known_bits_forget(struct known_bits **d);
/* Local bytes that the machine itself wrote or copied, at offsets within a thread's local memory. */
void init_local_set(warp *w, int lane, uint32_t offset, uint32_t bytes);
void init_local_copy(warp *w, int lane, uint32_t to, uint32_t from, uint32_t bytes);
/* The same for bytes of any space that an asynchronous copy moved: to and from where. */
void init_copied(warp *w, const insn *in, int lane, uint8_t to_space, uint64_t to, uint8_t from_space, uint64_t from,
                 uint32_t bytes);
/* printf, malloc and the like read these bytes (global: an address). False: not all are known; a
 * fault was raised. */
bool init_looked_at(warp *w, const insn *in, int lane, uint8_t space, uint64_t at, uint64_t bytes, const char *does);

/* ---- unknown.c: unknown bits in registers; see unknown.h ---- */
const insn *unknown_step(warp *w, const insn *in); /* what in->fn(w, in) does, in a careful warp */
const insn *unknown_first(warp *w);                /* after STOP_UNKNOWN */
/* shfl: the lanes of the mask read lane from[l], which may be inactive */
void unknown_shuffle(warp *w, const insn *in, const uint32_t *from);
/* these are in several splits, and `in` runs on a frame of its own (warp_meeting.c); before, after */
void unknown_apart(warp *w, const insn *in, uint32_t lanes, bool over);
/* any other operation whose lanes have reconverged; if careful */
void unknown_warp(warp *w, const insn *in);
/* a warpgroup's product, which adds to D or replaces it */
void unknown_product(warp *w, const insn *in, bool adds);
/* Ends an instruction that may have brought in something unknown; the warp goes on at `next`. */
static inline const insn *unknown_pause(warp *w, const insn *next)
{
    if (SIM_LIKELY(!(w->watch & WATCH_CAREFUL) || w->careful || !next)) return next;
    w->stop = STOP_UNKNOWN;
    w->resume = next;
    w->again = false;
    return NULL;
}
/* Performs one instruction. */
static inline const insn *warp_perform(warp *w, const insn *in)
{
    if (SIM_UNLIKELY(w->watch & WATCH_CAREFUL)) return unknown_step(w, in);
    const insn *next = in->fn(w, in);
    return SIM_UNLIKELY(!next) && w->stop == STOP_UNKNOWN ? unknown_first(w) : next;
}

/* ---- products_in_flight.c: registers of products in flight ---- */
void in_flight_reset(warp *w);
void in_flight_free(warp *w);
/* A product begins; `batch`: groups committed before it. False: it touches those of another. */
bool in_flight_begin(warp *w, const insn *in, uint32_t batch);
void in_flight_wait(warp *w, uint32_t below); /* the warp has waited for the groups below that number */
bool in_flight_look(warp *w, const insn *in); /* before it is performed; false: a fault */

#endif
