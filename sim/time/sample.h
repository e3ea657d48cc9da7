/* sample.h: see sample.c. */
#ifndef SIM_SAMPLE_H
#define SIM_SAMPLE_H

#include "time.h"

typedef struct time_place { /* one of the places for blocks on the card: what stood there during the sample */
    clocks second, last, end; /* starts of the second and the last block; the last one's end */
    clocks next;              /* when it would have taken another */
    uint32_t starts;
} time_place;

/* Which blocks are timed: those that the first `mps` of the card's `of` multiprocessors would be given, up to `count`. */
typedef struct sample_plan {
    uint32_t mps, of;
    uint64_t filling; /* blocks of the whole card's first filling */
    uint64_t first;   /* of those, timed */
    uint64_t count;   /* timed in all */
} sample_plan;

typedef struct time_sample {
    sample_plan plan;
    uint32_t per_mp;  /* places of a multiprocessor */
    clocks end;       /* of all timed blocks */
    double longest;   /* clocks that the busiest piece of the memory was in use */
    uint32_t places;
    time_place place[];
} time_sample;

static inline uint64_t sample_block(const sample_plan *p, uint64_t k) /* the k-th that is timed */
{
    if (k < p->first) return k / p->mps * p->of + k % p->mps;
    return p->filling + (k - p->first) * p->of / p->mps;
}

static inline bool sample_has(const sample_plan *p, uint64_t number)
{
    if (number < p->filling) return number % p->of < p->mps;
    uint64_t k = ((number - p->filling) * p->mps + p->of - 1) / p->of;
    return p->first + k < p->count && k * p->of / p->mps == number - p->filling;
}

static inline uint64_t sample_lacks(const sample_plan *p) { return p->mps < p->of ? p->mps : p->count; } /* a block that is not timed, if any */

bool sample_open(launch *l); /* every block is to be timed; false: out of memory */
void sample_close(launch *l);
bool sample_wanted(const launch *l);
void sample_choose(launch *l, uint64_t steps); /* a block takes about so many: which to time; all, when that is as well */

#endif
