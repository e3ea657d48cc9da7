/* parallel_bet.h: which thread may touch which word while blocks run on several host threads. See
 * parallel_bet.c. */
#ifndef SIM_PARALLEL_BET_H
#define SIM_PARALLEL_BET_H

#include "run.h"

enum { TRACK_LOADS = 1, TRACK_STORES = 2 }; /* alloc.tracked: accesses that must be claimed first */

enum { BET_THREADS = 120 /* that can claim words */ };

typedef struct bet_log bet_log;

/* Kinds of atomics without a result. Below BET_SUMS they may be applied in any order; in sums of
 * floats the order shows. */
enum { BET_SUMS = 9, BET_SUM_F32 = BET_SUMS, BET_SUM_F64, BET_KINDS };

/* Does somebody outside see this access, who must not see it taken back? Such a one ends the bet
 * before it is performed. */
static inline bool bet_shows(const insn *in, const alloc *al, enum access_kind kind)
{
    return al->is_shared && (in->order != ORDER_WEAK || kind == ACCESS_ATOMIC);
}

/* Claims what an access reaches. False: another thread has it, and the launch will run again in
 * order: return NULL. `kind_of` is not 0 for an atomic without a result of a kind above. Then the
 * caller may hold a lock and must call bet_done after the access. If bet_later is true, it must
 * pass the access to bet_defer instead of performing it. */
bool bet_reach(warp *w, const insn *in, const reach *r, uint32_t bytes, enum access_kind kind, uint32_t kind_of);

/* Additions to make when all blocks have ended. `at`: the word, plus one for a double. NULL: block
 * number `bits` begins. */
typedef struct bet_sum {
    char *at;
    uint64_t bits;
} bet_sum;
typedef void bet_adder(const bet_sum *list, size_t count); /* makes them in order */
static inline bool bet_later(const struct warp *w) { return w->worker->bet_later; }
/* Defers the active lanes' operands, 4 or 8 bytes each. False: too many, the launch will run again
 * in order. */
bool bet_defer(warp *w, const reach *r, const void *operands, uint32_t bytes, bet_adder *add);

/* A kernel that lost the bet mostly loses it again. Its next launches do without; the more often it loses, the more. */
bool bet_worth_trying(launch *l);
void bet_lost(launch *l);
/* Contiguous bytes, for the instruction `in`. */
bool bet_run(warp *w, const insn *in, alloc *al, uint64_t offset, uint32_t bytes, enum access_kind kind);
void bet_release(worker *k);
static inline void bet_done(struct warp *w)
{
    if (w->worker->bet_locked) bet_release(w->worker);
}

/* ---- for launch.c: the bet as a whole ---- */
bool bet_start(launch *l); /* from now on stores are logged; false: out of memory */
/* blocks that ran alone made sums of floats; from now on these are deferred */
bool bet_defers(const launch *l);
void bet_part(launch *l); /* several workers from now on: words must be claimed */
/* After some blocks ran alone: does what they did depend on what runs before them, or would all
 * blocks defer too much? */
bool bet_shows_order(const launch *l, int blocks);
/* Keeps what was written, and adds what was deferred: first the blocks of `clock`, in its order
 * (NULL: none), then the rest by block. */
void bet_keep(launch *l, worker *all, int n, const worker *clock);
void bet_end(launch *l);                      /* keeps what was written; nothing was deferred */
void bet_undo(launch *l, worker *all, int n); /* undoes it */
/* the same, but keeps which buffers are tracked: the bet is still to come */
void bet_put_back(worker *all, int n);
void bet_forget(alloc *al); /* frees the states of its words */
bet_log *bet_log_new(void);
void bet_log_free(bet_log *g, host_pool *pool);
uint64_t bet_written(const bet_log *g); /* bytes of all stores while the first blocks ran alone */

#endif
