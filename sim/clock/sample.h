/* sample.h: see sample.c. */
#ifndef SIM_SAMPLE_H
#define SIM_SAMPLE_H

#include "time.h"

/* Which blocks are timed, of those that the first `mps` of the card's `of` multiprocessors would be
 * given. These are numbered by turns, in the order in which the clock starts them; at most the
 * turns below `count` and the last `tail` are timed. */
typedef struct sample_plan {
    uint32_t mps, of;
    uint64_t blocks;  /* of the launch */
    uint64_t filling; /* blocks of the whole card's first wave */
    uint64_t each;    /* blocks of a wave on these multiprocessors */
    uint64_t first;   /* of the first wave, which need not be full */
    uint64_t share;   /* of the launch */
    uint64_t count, tail;
    uint64_t base, picks, among; /* of the blocks from `base` on, `picks` of every `among` */
    uint32_t enough;             /* waves that are timed in any case */
    uint64_t part; /* of a wave of very many steps: about the steps of one in PARTS of it; 0: it has no parts */
    bool cold;     /* few waves on some multiprocessors: who loads first is not known well */
    bool uneven;   /* blocks differ: `count` from all over the grid are timed */
    bool large;    /* too long to be timed whole, whatever the sample shows */
} sample_plan;

enum { SAMPLE_WARPS = 32 /* of a block, at most */ };

/* What a few tried blocks tell of a launch before it is timed. */
typedef struct sample_trial {
    uint64_t steps;             /* of one of them */
    uint64_t longest, shortest; /* of the longest warp of each, in steps: the most, the least */
    uint64_t written;           /* bytes, by all of them */
    uint64_t touches;           /* instructions that reach memory shared by multiprocessors, out of `all_steps` */
    uint64_t all_steps;
    uint64_t warp[SAMPLE_WARPS]; /* of a block's first warp, second ...: the fewest instructions */
    int blocks;
} sample_trial;

enum {
    PARTS = 16,
    FILLINGS_KEPT = 4096,
    SIDE_WORTH = 2000000,  /* steps of all blocks: fewer are timed on one thread */
    SAMPLE_WORTH = 6000000 /* and fewer than these whole */
};

typedef struct time_sample {
    sample_plan plan;
    bool ahead;                 /* the launch is too large for anybody to look at what a race leaves behind (ahead.h) */
    uint32_t per_mp;            /* places of a multiprocessor */
    uint64_t begun;             /* blocks that were timed */
    uint64_t most;              /* that are to be, as far as is known */
    uint64_t stop;              /* the first turn that was left out */
    bool steady;                /* the waves became steady, or all was timed */
    double sum;                 /* of the starts of this wave's blocks */
    double mean[FILLINGS_KEPT]; /* mean start of each of the last full waves */
    double error;               /* of the time of the whole launch, relative */
    uint32_t fillings, in;      /* full waves; blocks in the current one */
    uint64_t mark;              /* steps at which the next part of a huge wave is over */
    clocks since, took;         /* when the last part was over; what it took, 0: unknown */
    clocks pace, first;         /* mean time of two equal parts, of the last ones and of the first */
    uint64_t same;              /* blocks that had begun by the last part */
    clocks skipped;             /* clocks of all skipped parts: the launch is longer by these than what is timed */
    double untimed;             /* instructions that ran without the clock */
    clocks full;                /* when the last block began: the card was full for the last time */
    uint64_t full_steps, steps; /* issued by then; in the end */
    sample_trial trial;
    double slower; /* the share of the time by which a slower clock, for products of matrices, makes it longer */
    double brisk;  /* clocks per instruction of a block's longest warp, in the block that was held up least */
    const struct time_memory_state *memory; /* of what is timed, while it is */
    double longest;                         /* clocks that the busiest part of the memory was in use */
} time_sample;

/* One of the blocks that turn `k` stands for, at random. */
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
void sample_choose(launch *l, const sample_trial *t); /* which to time; all, where a sample gains nothing */
/* the clock keeps all blocks that it may need until the waves are steady */
void sample_go_on(launch *l);
uint64_t sample_next(const time_sample *s, uint64_t begun); /* the block to time after `begun` of them */
/* A block starts at `at`, the `begun`th, after `steps` issued steps. Returns how many are to be
 * timed, as far as is known. */
uint64_t sample_begins(time_sample *s, uint64_t begun, clocks at, uint64_t steps);
/* A part of a very long wave is over: s->mark steps have been issued. On cards without caches the
 * parts that follow two equal ones are skipped, except for the end (sample_skips says how many of
 * the possible `most`). */
enum sample_says { SAMPLE_GOES_ON, SAMPLE_SKIPS };
enum sample_says sample_part(time_sample *s, uint64_t begun, clocks at);
uint32_t sample_skips(time_sample *s, double most);
double sample_instructions(const launch *l, const worker *k); /* of its warps so far */
/* after the sample, before the other blocks: about what time_finish will say */
uint64_t time_soon(const launch *l);
/* after all blocks: sets l->cycles; the workers from all[1] on ran the sample (l->clocks) */
void time_finish(launch *l, worker *all, int n);

#endif
