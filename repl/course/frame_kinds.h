/* frame_kinds.h: the kinds of moments of a film that can be looked for: by a key of `step`, by its
 * --find, and by a lesson's `look:`. */
#ifndef FRAME_KINDS_H
#define FRAME_KINDS_H

enum frame_kind {
    FRAME_ANY,
    FRAME_LINE, /* another line of the source */
    FRAME_BARRIER,
    FRAME_SPLIT,     /* a branch that parts the lanes */
    FRAME_WAIT,      /* one that has waited long */
    FRAME_SCATTERED, /* an access that is not coalesced, or has bank conflicts */
    FRAME_MEMORY,    /* any access */
    FRAME_GLOBAL,    /* to global memory, atomics too */
    FRAME_SHARED,    /* to shared memory, atomics too */
    FRAME_ATOMIC,
    FRAME_FAULT, /* a fault, or the second side of a race */
    FRAME_PRODUCT, /* a product of matrices by tensor cores begins */
    FRAME_COPY,    /* a copy in the background begins */
    FRAME_KINDS
};
extern const char *const frame_kind_names[FRAME_KINDS];

/* Numbers of a frame, for predictions about it. */
enum frame_fact {
    FACT_LANES,        /* on */
    FACT_GOING_ON,     /* that the warp's next instruction is for */
    FACT_TRANSACTIONS, /* of its access to global memory */
    FACT_PASSES,       /* of its access to shared memory */
    FACT_WAITED,       /* clocks, before it was issued */
    FACT_WAITING,      /* other warps of the block that wait, at a barrier too */
    FRAME_FACTS
};
extern const char *const frame_fact_names[FRAME_FACTS]; /* "frame_lanes" */

#endif
