/* parallel_bet.h: which thread may touch which word while blocks run on several host threads. See
 * parallel_bet.c. */
#ifndef SIM_PARALLEL_BET_H
#define SIM_PARALLEL_BET_H

#include "run.h"

enum { TRACK_LOADS = 1, TRACK_STORES = 2 }; /* alloc.tracked: accesses that must be claimed first */

enum { OWN_THREADS = 120 /* that can claim words */ };

typedef struct own_log own_log;

/* Kinds of atomics without a result. Below OWN_SUMS they may be applied in any order; in sums of
 * floats the order shows. */
enum { OWN_SUMS = 9, OWN_SUM_F32 = OWN_SUMS, OWN_SUM_F64, OWN_KINDS };

/* Does somebody outside see this access, who must not see it taken back? Such a one ends the bet
 * before it is performed. */
static inline bool own_shows(const insn *in, const alloc *al, enum access_kind kind)
{
    return al->is_shared && (in->order != ORDER_WEAK || kind == ACCESS_ATOMIC);
}

/* Claims what an access reaches. False: another thread has it, and the launch will run again in
 * order: return NULL. `kind_of` is not 0 for an atomic without a result of a kind above. Then the
 * caller may hold a lock and must call own_done after the access. If own_later is true, it must
 * pass the access to own_defer instead of performing it. */
bool own_reach(warp *w, const insn *in, const reach *r, uint32_t bytes, enum access_kind kind, uint32_t kind_of);

/* Additions to make when all blocks have ended. `at`: the word, plus one for a double. NULL: block
 * number `bits` begins. */
typedef struct own_sum {
    char *at;
    uint64_t bits;
} own_sum;
typedef void own_adder(const own_sum *list, size_t count); /* makes them in order */
static inline bool own_later(const struct warp *w) { return w->worker->own_later; }
/* Defers the active lanes' operands, 4 or 8 bytes each. False: too many, the launch will run again
 * in order. */
bool own_defer(warp *w, const reach *r, const void *operands, uint32_t bytes, own_adder *add);

/* A kernel that lost the bet mostly loses it again. Its next launches do without; the more often it loses, the more. */
bool own_worth_trying(launch *l);
void own_lost(launch *l);
/* Contiguous bytes, for the instruction `in`. */
bool own_run(warp *w, const insn *in, alloc *al, uint64_t offset, uint32_t bytes, enum access_kind kind);
void own_release(worker *k);
static inline void own_done(struct warp *w)
{
    if (w->worker->own_locked) own_release(w->worker);
}

/* ---- for launch.c: the bet as a whole ---- */
bool own_start(launch *l); /* from now on stores are logged; false: out of memory */
/* blocks that ran alone made sums of floats; from now on these are deferred */
bool own_defers(const launch *l);
void own_part(launch *l); /* several workers from now on: words must be claimed */
/* After some blocks ran alone: does what they did depend on what runs before them, or would all
 * blocks defer too much? */
bool own_shows_order(const launch *l, int blocks);
/* Keeps what was written, and adds what was deferred: first the blocks of `clock`, in its order
 * (NULL: none), then the rest by block. */
void own_keep(launch *l, worker *all, int n, const worker *clock);
void own_end(launch *l);                      /* keeps what was written; nothing was deferred */
void own_undo(launch *l, worker *all, int n); /* undoes it */
/* the same, but keeps which buffers are tracked: the bet is still to come */
void own_put_back(worker *all, int n);
void own_forget(alloc *al); /* frees the states of its words */
own_log *own_log_new(void);
void own_log_free(own_log *g, host_pool *pool);
uint64_t own_written(const own_log *g); /* bytes of all stores while the first blocks ran alone */

#endif
