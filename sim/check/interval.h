/* interval.h: what the race checker keeps of shared memory from one full barrier to the next,
 * while there is nothing to find. interval.c says how; exec/quick.c sees the accesses to shared
 * memory. */
#ifndef SIM_INTERVAL_H
#define SIM_INTERVAL_H

#include "machine/machine.h"

enum { TAG_SHIFT = 12, TAG_WRITTEN = 1 << 11, TAG_MANY = 1 << 10 };

typedef struct interval {
    uint32_t base;        /* of this interval: smaller tags are older */
    uint32_t words;       /* of shared memory */
    uint32_t *tag;        /* one per word, and one per lane for inactive lanes */
    const uint32_t *time; /* the block's clock */
    char *log;            /* accesses since the barrier, in order */
    size_t used, capacity;
    uint32_t pause, pauses; /* intervals to go without; how many the next time */
} interval;

typedef struct logged {
    const insn *in;
    uint32_t time, mask;
    uint8_t warp, size, kind, step;
    bool halves;       /* where[0], [1]: the two halves; otherwise 32 words, uint16_t, follow */
    uint32_t where[2]; /* in bytes */
} logged;

bool interval_grow(block *b);  /* more room in the log; false: none to be had */
void interval_break(block *b); /* from here on exactly: b->interval NULL, the cells have the log */

struct block_order;
void interval_next(struct block_order *o); /* a full barrier, or the start of a block */
void interval_free(struct block_order *o);

#endif
