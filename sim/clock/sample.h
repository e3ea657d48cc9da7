/* sample.h: see sample.c. */
#ifndef SIM_SAMPLE_H
#define SIM_SAMPLE_H

#include "time.h"

/* Which blocks are timed: of those that the first `mps` of the card's `of` multiprocessors would be
 * given, numbered by turns in the order in which the clock starts them, the turns below `count` at
 * most and the last `tail`. */
typedef struct sample_plan {
    uint32_t mps, of;
    uint64_t blocks;  /* of the launch */
    uint64_t filling; /* blocks of the whole card's first filling; */
    uint64_t each;    /* those of a filling that are these multiprocessors' */
    uint64_t first;   /* those of the first filling, which need not be full */
    uint64_t share;   /* all of them */
    uint64_t count, tail;
    uint64_t base, picks, among; /* of the blocks from `base` on, `picks` of every `among` */
    uint32_t enough;             /* fillings that are timed in any case */
    bool huge;                   /* each filling is very long: */
    bool skips;                  /* parts of it may be left out: what comes next does not depend on what caches hold */
    uint64_t part;               /* the steps of one in PARTS of it, about */
    bool rough;                  /* fewer multiprocessors are timed than a good figure needs */
    bool uneven;                 /* blocks are not alike: `count` of all over the grid are timed */
    bool large;                  /* too long to time whole, whatever the sample shows */
} sample_plan;

enum { SAMPLE_WARPS = 32 /* of a block, at most */ };

/* What is known of a launch before it is timed, from a few blocks that were tried. */
typedef struct sample_trial {
    uint64_t steps;             /* of one of them */
    uint64_t longest, shortest; /* of the longest warp of each, in steps: the most, the least */
    uint64_t written;           /* bytes, by all of them */
    uint64_t touches;           /* instructions that reach memory which multiprocessors share, of all `all_steps` */
    uint64_t all_steps;
    uint64_t warp[SAMPLE_WARPS]; /* of the first warp of a block, the second ...: the least */
    int blocks;
} sample_trial;

enum {
    PARTS = 16,
    FILLINGS_KEPT = 4096,
    SIDE_WORTH = 2000000,  /* steps of all blocks: fewer are timed on one thread, */
    SAMPLE_WORTH = 6000000 /* and fewer than these whole */
};

typedef struct time_sample {
    sample_plan plan;
    bool ahead;      /* the launch is so large that nobody looks at what a race in it leaves behind (ahead.h) */
    uint32_t per_mp; /* places of a multiprocessor */
    uint64_t begun;  /* blocks that were timed */
    uint64_t most;   /* that are to be, as far as is known now */
    uint64_t stop;   /* the first turn that was left out */
    bool crowded;    /* one channel of DRAM had most to do when the fillings seemed to be alike */
    bool steady;     /* the fillings came to be alike, or all was timed */
    double sum;      /* of the starts of this filling's blocks */
    double mean[FILLINGS_KEPT]; /* start of the last fillings, as far as they were full */
    double drift;               /* by how much later steps may be longer than those, on average */
    uint32_t fillings, in;      /* full ones; blocks in the one under way */
    uint64_t mark;              /* steps at which the next part of a huge filling is over */
    clocks part[2 * PARTS];     /* when those of the first two were */
    uint32_t parts;
    clocks since, took;         /* when the last part was over; what it took, 0: nobody knows */
    clocks pace, first;         /* what two parts that were alike took on average, the last ones and the first */
    uint64_t same;              /* blocks that had begun then */
    clocks skipped;             /* clocks of all that were, by which the launch is longer than what is timed */
    uint64_t dropped;           /* of the blocks that were begun: those that went on without the clock (sample_part) */
    double untimed, cut;        /* instructions that ran without it; clocks that the launch is to be shorter by */
    clocks full;                /* when the last block began, and the card was full for the last time; */
    uint64_t full_steps, steps; /* that had been issued by then; in the end */
    sample_trial trial;
    double brisk; /* clocks an instruction of the longest warp of that block which was held up least */
    const struct time_memory_state *memory; /* of what is timed, while it is */
    double longest;                         /* clocks that the busiest piece of the memory was in use */
} time_sample;

/* Of the blocks that turn `k` stands for, one at random. */
static inline uint64_t sample_one_of(const sample_plan *p, uint64_t k)
{
    const uint64_t from = k * p->among / p->picks, to = (k + 1) * p->among / p->picks;
    uint64_t h = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    const uint64_t n = p->base + from + (h >> 32) % (to - from);
    return n < p->blocks ? n : p->blocks - 1;
}

/* The block whose turn it is. */
static inline uint64_t sample_block(const sample_plan *p, uint64_t turn)
{
    if (turn < p->first) return turn / p->mps * p->of + turn % p->mps;
    return sample_one_of(p, turn - p->first);
}

static inline bool sample_has(const sample_plan *p, uint64_t number)
{
    uint64_t k = number / p->of * p->mps + number % p->of;
    if (number < p->base) {
        if (number % p->of >= p->mps) return false;
    } else {
        k = ((number - p->base + 1) * p->picks - 1) / p->among;
        if (sample_one_of(p, k) != number) return false;
        k += p->first;
    }
    return k < p->count || k >= p->share - p->tail;
}

static inline bool sample_has_all(const sample_plan *p) { return p->mps == p->of && p->count >= p->share - p->tail; }

void sample_tried(sample_trial *t, const block *b);
bool sample_open(launch *l); /* every block is to be timed; false: out of memory */
void sample_close(launch *l);
bool sample_wanted(const launch *l);
void sample_choose(launch *l, const sample_trial *t); /* which to time; all, when that is as well */
/* time them until they are alike, all if need be: what is kept for the clock is no less than that
 */
void sample_go_on(launch *l);
uint64_t sample_next(const time_sample *s, uint64_t begun); /* the block that is timed next, after `begun` of them */
/* A block starts at `at`, with which `begun` have, when `steps` have been issued. How many are to
 * be timed, as far as is known now. */
uint64_t sample_begins(time_sample *s, uint64_t begun, clocks at, uint64_t steps);
/* s->mark steps of huge fillings have been issued, and so a part is over. On cards without caches
 * those that follow need not be timed, but for the end, when two parts took as long (SAMPLE_SKIPS,
 * and sample_skips says how many of the `most` that could be); and of the fillings two do when the
 * second goes like the first. On others two do as well, and what is under way of the second is not
 * to be timed any more (SAMPLE_DROPS). */
enum sample_says { SAMPLE_GOES_ON, SAMPLE_SKIPS, SAMPLE_DROPS, SAMPLE_ENDS /* no part is of interest any more */ };
enum sample_says sample_part(time_sample *s, uint64_t begun, clocks at);
uint32_t sample_skips(time_sample *s, double most);
double sample_instructions(const launch *l, const worker *k); /* of its warps so far */

#endif
