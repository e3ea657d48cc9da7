/* filming.h: tells what one multiprocessor does, instruction by instruction (sim_launch.film).
 *
 * A warp performs instructions on registers ahead of their time, and its scheduler issues their
 * steps later. So what an instruction did is kept in a frame of its warp until one of its steps is
 * issued. Then its time is known. Schedulers of a multiprocessor run apart for some clocks, so frames
 * are sorted by time before they are told: those that are certain to be complete.
 */
#ifndef SIM_FILMING_H
#define SIM_FILMING_H

#include "clock.h"

typedef struct film film;

/* A place for a warp on the filmed multiprocessor. */
typedef struct film_warp {
    film *of;
    warp *w;
    bool values; /* of the block that the film is about */
    uint32_t place;
    uint64_t block;
    struct film_frame *first, *last; /* performed, and not issued yet */
} film_warp;

film *film_new(launch *l, uint32_t places); /* NULL: out of memory */
void film_free(film *f);                    /* may be NULL */

/* A block begins on multiprocessor `mp`, its first warp in `place`. From then on film_warp_at is
 * for its warps. */
void film_begins(film *f, uint32_t mp, uint32_t place, block *b, clocks now);
void film_ends(film *f, uint32_t mp, uint32_t place, const block *b, clocks now);
film_warp *film_warp_at(film *f, uint32_t mp, uint32_t place); /* NULL: that is not filmed */

/* warp_perform, filmed */
const insn *film_perform(film_warp *v, const insn *in);
/* a step is issued, after so long a wait and so long in the queue */
void film_issued(film_warp *v, const step *s, clocks now, clocks waited, clocks queued, enum sim_stall cause);
/* Tells all before `until`. */
void film_tell(film *f, clocks until);
/* The launch is over, perhaps by a fault: tells the rest. */
void film_over(film *f, clocks now, bool faulted);

#endif
