/* thread_pool.h: host threads that help another one with work in pieces, round after round.
 *
 * The one that has the work calls crew_work for each round; those that help stay in crew_help until
 * it is over. Each begins with pieces of its own, the same ones in each round, whose data it still
 * has at hand, and goes on with what the others have not begun. The one that has the work does so
 * too: it never waits for a helper that has not begun, and needs none.
 */
#ifndef SIM_CREW_H
#define SIM_CREW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CREW_PIECES = 16 /* of a round, at most */ };

/* all zero: no work yet */
typedef struct crew {
    atomic_uint round;
    atomic_uint taken[CREW_PIECES]; /* the last round in which somebody took that piece */
    atomic_uint left;               /* pieces of this round that are not done yet */
    atomic_uint pieces;
    atomic_bool over;
    uint32_t members; /* who may take part, of numbers below that; 0 has the work */
    void (*work)(void *with, uint32_t piece);
    void *with;
} crew;

void crew_work(crew *c, void (*work)(void *with, uint32_t piece), void *with, uint32_t pieces); /* until all are done */
void crew_over(crew *c); /* those who help may leave; and so do all who come later */
void crew_help(crew *c, uint32_t number);

#endif
