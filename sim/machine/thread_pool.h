/* thread_pool.h: host threads that help another one with work in pieces, round after round.
 *
 * The owner of the work calls crew_work for each round; helpers stay in crew_help until it is over.
 * Each begins with pieces of its own, the same in each round, whose data is still in its cache, and
 * goes on with pieces that no other has begun. So does the owner: it never waits for a helper that
 * has not begun, and needs none.
 */
#ifndef SIM_THREAD_POOL_H
#define SIM_THREAD_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CREW_PIECES = 16 /* of a round, at most */ };

/* all zero: no work yet */
typedef struct crew {
    atomic_uint round;
    atomic_uint taken[CREW_PIECES]; /* the last round in which a piece was taken */
    atomic_uint left;               /* pieces of this round that are not done yet */
    atomic_uint pieces;
    atomic_bool over;
    uint32_t members; /* threads that may take part have lower numbers; 0 owns the work */
    void (*work)(void *with, uint32_t piece);
    void *with;
} crew;

void crew_work(crew *c, void (*work)(void *with, uint32_t piece), void *with, uint32_t pieces); /* until all are done */
void crew_over(crew *c); /* helpers may leave, now or when they come */
void crew_help(crew *c, uint32_t number);

#endif
