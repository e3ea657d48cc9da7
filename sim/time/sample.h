/* sample.h: see sample.c. */
#ifndef SIM_SAMPLE_H
#define SIM_SAMPLE_H

#include "time.h"

/* Which blocks are timed: those that the first `mps` of the card's `of` multiprocessors would be given, up to `count`. */
typedef struct sample_plan {
    uint32_t mps, of;
    uint64_t filling; /* blocks of the whole card's first filling */
    uint64_t first;   /* of those, timed */
    uint64_t count;   /* timed in all, at most: fewer when the fillings soon are alike */
    uint64_t share;   /* what these multiprocessors would be given of all blocks */
    uint32_t enough;  /* fillings that are timed in any case */
    bool large;       /* too long to time whole, whatever the sample shows */
} sample_plan;

/* What is known of a launch before it is timed, from a few blocks that were tried. */
typedef struct sample_trial {
    uint64_t steps;            /* of one of them */
    uint64_t longest, shortest, longest_sum; /* of the longest warp of each, in steps: the most, the least, all */
    uint64_t touches;          /* instructions that reach memory which multiprocessors share, of all `all_steps` */
    uint64_t all_steps;
    int blocks;
} sample_trial;

enum { FILLINGS_KEPT = 8, SAMPLE_WORTH = 6000000 /* steps of all blocks: fewer are soon timed */ };

typedef struct time_sample {
    sample_plan plan;
    uint32_t per_mp;  /* places of a multiprocessor */
    uint64_t begun;   /* blocks that were timed */
    uint64_t most;    /* that are to be, as far as is known now */
    bool steady;      /* the fillings came to be alike, or all was timed */
    double sum;       /* of the starts of this filling's blocks */
    double mean[FILLINGS_KEPT]; /* start of the last fillings, as far as they were full */
    uint32_t fillings, in;      /* full ones; blocks in the one under way */
    double typical;   /* steps of the longest warp of a block that was tried */
    double longest;   /* clocks that the busiest piece of the memory was in use */
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
void sample_choose(launch *l, const sample_trial *t); /* which to time; all, when that is as well */
void sample_go_on(launch *l);  /* the fillings were not alike: time more of them, all if need be */
/* A block starts, with which `begun` have. How many are to be timed, as far as is known now. */
uint64_t sample_begins(time_sample *s, uint64_t begun, clocks at);

#endif
