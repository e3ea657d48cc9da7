/* memory_time.h: how long memory takes: shared memory, caches, DRAM.
 *
 *     shared_memory.c      shared memory; which of the two ways to global memory a card has
 *     coalesce_1x.c        the way of compute 1.x: transactions of half-warps, no caches
 *     coalesce_sectors.c   the way since: 32-byte sectors, L1, L2, atomics
 *     cas_loops.c          atomics on shared memory that are loops in machine code
 *     cache.c              tags
 *     l2_requests.c        what is asked of L2 and DRAM in a window, answered in order
 *     dram.c               channels
 *     bulk_engine.c        copies in the background
 *     untimed_traffic.c    what untimed multiprocessors ask of L2 and DRAM
 */
#ifndef SIM_MEMORY_TIME_H
#define SIM_MEMORY_TIME_H

#include "ptxas/clocks.h"

/* ---- shared_memory.c: all that serves a memory instruction, for all multiprocessors of the card:
 * ports, caches, DRAM.
 *
 * clock.c calls time_ask once for each access of an instruction, in the order of `now` within a
 * multiprocessor. What concerns only that one is found out at once. What multiprocessors share is
 * found out by time_answer_all, where there are caches. No answer from there is heard within
 * time_window clocks, so each multiprocessor can go on by itself for so long; then all must have
 * asked up to there. Without caches all is found out at once, and the order of `now` must be that
 * of all multiprocessors. Unless a->halves is HALVES_ANY, only address[0] and address[16] are set.
 */
typedef struct time_memory_state time_memory_state;
/* a warp that asks */
typedef struct time_asker {
    uint32_t multiprocessor, warp; /* its place there */
    uint32_t who;                  /* gets the answers */
    ticks now;
    /* where its local memory is, with interlaced words: the first one of all lanes, then the second
     * one of all lanes */
    uint64_t local;
} time_asker;
typedef struct time_access {
    ticks extra_issue; /* the instruction keeps its issue slot that much longer: further passes over the banks */
    /* when the data of a load are there; when a store, or an atomic without a result, is over */
    ticks done;
    /* parts of the time from now to done: for the multiprocessor's port; after it for DRAM, or for
     * bank conflicts of shared memory. The rest is latency */
    ticks port, behind;
} time_access;
typedef struct time_usage {
    /* clocks that ports, slices of the L2 and channels of DRAM were busy, each summed */
    double port, l2, dram;
    uint64_t dram_bytes;      /* moved */
    double channel, channels; /* clocks that the busiest channel was busy; the number of channels */
    double longest;           /* clocks that the busiest channel, slice of the L2 or word was, or a port on average */
} time_usage;
/* Neighbouring multiprocessors are in one group: different host threads may ask for those of
 * different groups at once. */
static inline uint32_t time_group_of(uint32_t mp, uint32_t mps, uint32_t groups)
{
    return (uint32_t)((uint64_t)mp * groups / mps);
}
/* For some of the card's multiprocessors, whose work is to that of the others as `timed` to
 * `others`; alike: program.alike; shared_bytes: in use on each. NULL: out of memory. */
time_memory_state *time_memory_open(launch *l, const bool *alike, uint32_t multiprocessors, uint32_t groups,
                                    uint32_t timed, uint32_t others, uint64_t shared_bytes);
void time_memory_close(time_memory_state *m);
/* How many answers `by->who` will get; *r is what is known without them. */
uint32_t time_ask(time_memory_state *m, const time_asker *by, const access *a, time_access *r);
/* A shuffle, or a load or a store with no lane on, goes through the port all the same. Returns how
 * long it waits for that. */
ticks time_port(time_memory_state *m, uint32_t multiprocessor, ticks now);
/* How much of a wait for that port was for further passes of others over the banks: their part of
 * all that has kept it so far. */
clocks time_for_conflicts(const time_memory_state *m, uint32_t multiprocessor, clocks wait);
clocks time_window(const time_memory_state *m); /* 0: nothing is asked, all is known at once */
time_usage time_memory_usage(const time_memory_state *m);

/* ---- bulk_engine.c ---- */
/* As time_ask, for a bulk copy. */
uint32_t time_bulk(time_memory_state *m, const time_asker *by, const bulk_traffic *t, time_access *r);

/* ---- l2_requests.c ---- */
typedef struct time_answer {
    uint32_t who;
    time_access r;
} time_answer;
/* all that was asked so far; *first: when the first answer is there. False: out of memory */
bool time_answer_all(time_memory_state *m, ticks *first);
/* to the group's requests, once */
const time_answer *time_answers(time_memory_state *m, uint32_t group, uint32_t *count);

/* ---- coalesce_sectors.c ---- */
#define TIME_LOCAL (UINT64_C(1) << 57) /* local memory of all warps, above all addresses of global memory */
/* soon: the host may fetch what is needed */
void time_will_ask(const time_memory_state *m, uint32_t multiprocessor, uint64_t address);
/* The L2 does not hold the parameters of launches; now it does. */
bool time_misses_parameters(time_memory_state *m);
void time_l2_empty(sim *s);
void time_written(sim *s, uint64_t address, uint64_t bytes); /* by the host */
/* The L2 before a launch that may have to begin again. False: out of memory. */
typedef struct time_l2_kept {
    struct cache *tags;
    int64_t time;
} time_l2_kept;
bool time_l2_keep(sim *s, time_l2_kept *k);
void time_l2_back(sim *s, const time_l2_kept *k);

#endif
