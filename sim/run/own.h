/* own.h: who may touch which word while blocks run on several host threads. See own.c. */
#ifndef SIM_OWN_H
#define SIM_OWN_H

#include "machine.h"

enum { TRACK_LOADS = 1, TRACK_STORES = 2 }; /* alloc.tracked: accesses that must be claimed first */

enum { OWN_THREADS = 122 /* that can claim words */ };

typedef struct own_log own_log;

/* Claim what an access reaches. False: another thread has it; the launch will run again in order, return NULL. `commutes` is not 0
 * for an atomic without a result whose kind (add, and, min ...) may be applied in any order; then the caller may hold a lock
 * and must call own_done when it has performed the access. */
bool own_reach(warp *w, const insn *in, const reach *r, uint32_t bytes, enum access_kind kind, uint32_t commutes);
bool own_run(warp *w, alloc *al, uint64_t offset, uint32_t bytes, enum access_kind kind); /* bytes that lie together */
void own_release(worker *k);
static inline void own_done(struct warp *w)
{
    if (w->worker->own_locked) own_release(w->worker);
}

/* launch.c */
bool own_start(launch *l);                   /* from now on stores are logged; false: out of memory */
void own_part(launch *l);                    /* several workers from now on: words must be claimed */
bool own_shows_order(const launch *l);       /* what the first block did may depend on what runs before it */
void own_end(launch *l);                     /* keep what was written */
void own_undo(launch *l, worker *all, int n); /* take it back */
void own_put_back(worker *all, int n);       /* the same, but which buffers are tracked stays known: the bet is still to come */
own_log *own_log_new(void);
void own_log_free(own_log *g);
uint64_t own_bytes(const own_log *g);
uint64_t own_written(const own_log *g); /* bytes of all stores while the first blocks ran alone */

#endif
