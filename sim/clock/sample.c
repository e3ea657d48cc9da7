/* sample.c: the time of all blocks from that of some.
 *
 * The multiprocessors of a card do like work, again and again in a launch of very many blocks. So
 * only some of them are timed, with the blocks that they would be given. The other blocks run
 * untimed, for their results. The other multiprocessors are still felt: for each access to the L2
 * or DRAM from a timed one, as many more come from the others as there are more of those
 * (untimed_traffic.c).
 *
 * Of each few blocks in a row, one at random is timed: every fifth of a grid 20 blocks wide, say,
 * would be those of four columns. A wave is as many blocks as the multiprocessors hold at once.
 * Timing goes on until the last waves are alike, that is, until they follow each other after the
 * same time (sample_begins). Then only the blocks of the last, partial wave are timed, so the card
 * runs empty as it will in the end. Each wave between takes as long as the last ones did, in
 * proportion to the instructions that its blocks run. Waves that never become alike are all timed,
 * unless there are too many. Waves are not alike while the last third takes longer or shorter than
 * the third before it, or while one channel of DRAM has most to do (crowds). If that lasts for half
 * of the launch, all is timed.
 *
 * Where blocks differ, as those of a picture with harder parts, blocks from all over the grid are
 * timed. The rest goes at their pace while the card was full (choose_uneven). That holds for blocks
 * that work for themselves; those that share what they load are timed whole.
 *
 * What is timed depends on a few blocks that are tried first and on the clock, never on the host.
 * Kernels that read the clock or compare and swap, blocks that must all be resident, traced and
 * race-checked launches are timed whole.
 */
#include "time.h"
#include "sample.h"
#include <math.h>
#include <stdlib.h>

enum {
    WORTH_TIMING = 2500000, /* steps of a sample: some tenths of a second */
    /* of fewer than FEW waves, whose end is not drawn out: the end of 8 multiprocessors came out
     * 10 % too slow, of 33 2 % */
    WORTH_FEW = 5000000,
    /* multiprocessors then, if they share what they load: with 11 of an H200's a product came out
     * 4 % too slow, with 20 1 % */
    FEWEST_FEW = 20,
    WHOLE_FEW = 24000000, /* steps of few waves with blocks that differ a little: all are timed */
    /* percent of the multiprocessors: a sample of more has all. With 60 to 80 % kernels came out
     * 9 % too fast and 6 % too slow */
    OF_ALL = 40,
    /* so has one where ENOUGH_FILLINGS waves of all are no more steps than this: blocks of a
     * stencil load what their neighbours did */
    ALL_STEPS = 12000000,
    TOO_LONG = 300000000, /* to be timed whole when waves differ: ten seconds */
    ENOUGH = 4000000,     /* steps that are timed at least, so that the start wears off */
    ENOUGH_FILLINGS = 7,
    ENOUGH_MOST = 5000000,  /* and waves, unless these are more steps than this */
    FILLED_MOST = 8000000,  /* and until the writes could have filled the L2 twice, up to this */
    WRITES = 5,             /* if at least a byte is written per so many steps */
    HUGE_FILLING = 8000000, /* steps: of such waves two must do, or two steps between waves */
    HUGE_OF_ALL = 4000000,  /* with all multiprocessors of a card with caches: they stand for no others */
    AT_FIRST = 20,          /* waves after those that the clock keeps while the other blocks run */
    AT_FIRST_HUGE = 10,     /* what it does not need of them runs afterwards */
    MANY = 32,              /* of what is too long to be timed whole */
    STEPS = 3,              /* from one wave to the next, that must be alike */
    SWING = 6,
    SWING_HUGE = 2, /* or so many together, where they swing: every third may be longer */
    FEW = 3,        /* waves: fewer show that one multiprocessor's blocks take longer than another's */
    /* multiprocessors of a card that has many: with 4 of an H200's 132 a product came out 3 % too
     * slow */
    FEWEST_MPS = 8,
    /* fewer than these are all timed: with 4 of an 8800 GT's 14 a kernel came out 13 % too slow */
    SOME_MPS = 16,
    /* and fewer than these: with 18 of an RTX 2070's 36 products came out 2 to 6 % too fast */
    MANY_MPS = 40,
    ROOM = 60000000, /* if their wave has no more steps than this */
    QUIET = 500,     /* but not if fewer than one step in so many reaches what they share */
    /* steps of all blocks, and waves: with fewer of both a launch is timed whole on cards with
     * caches */
    SOON = 25000000,
    SOME_FILLINGS = 16,
    SOON_FEW = 40000000,     /* and up to so many of fewer than ENOUGH_FILLINGS waves */
    WORTH_UNEVEN = 20000000, /* steps of all blocks, where these differ */
    /* waves: with fewer it matters which block ends last, and a multiprocessor with more blocks has
     * later ones */
    FEWEST_UNEVEN = 16,
    /* and fewer than one step in so many reaches what multiprocessors share: else it matters which
     * blocks are neighbours */
    LITTLE = 64,
    UNEVEN_MPS = 40,
    UNEVEN_FILLINGS = 40, /* of so many multiprocessors so many waves are timed at most */
    WORTH_TRYING = 8,     /* blocks */
    /* bytes: more than a sample writes, so a launch that fills it is timed whole, if it has no more
     * steps than the next number */
    LARGE_L2 = 16 << 20,
    LARGE_L2_STEPS = 30000000
};
static const double ALIKE = 0.01, DRIFT = 0.015, TREND = 0.006, UNEVEN = 0.05, UNEVEN_FEW = 0.01, BUSY = 0.5,
                    CROWDED = 2;

/* A launch that fills the L2 with its writes only in its course goes slower then. Returns the waves
 * until it has; 0: it never does. */
static uint64_t fills_l2(const launch *l, const sample_trial *t)
{
    const uint64_t l2 = (uint64_t)l->s->card.timing.l2_bytes, each = t->written / (uint64_t)t->blocks;
    return each && l->s->mem.in_use > l2 && each * l->blocks > l2 / 4 ? l2 / (each * l->sample->plan.filling) + 1 : 0;
}

/* Nothing has been timed yet. */
static void sample_begin(launch *l)
{
    time_sample *s = l->sample;
    s->most = s->plan.count;
    s->stop = UINT64_MAX;
    s->steady = s->crowded = false;
    s->fillings = s->in = s->parts = 0;
    s->sum = s->untimed = s->cut = 0;
    s->since = s->took = s->first = s->skipped = s->full = 0;
    s->full_steps = s->steps = 0;
    s->same = s->plan.each;
    s->dropped = 0;
    s->mark = s->plan.huge ? s->plan.part : UINT64_MAX;
}

bool sample_open(launch *l)
{
    const sim_timing *t = &l->s->card.timing;
    const uint32_t of = (uint32_t)l->s->card.multiprocessors,
                   schedulers = t->schedulers > 0 ? (uint32_t)t->schedulers : 1;
    uint32_t per_mp = l->resident / of;
    while (per_mp > 1 && per_mp * l->warps > 64 * schedulers) per_mp--;
    l->sample = calloc(1, sizeof *l->sample);
    if (!l->sample) return false;
    l->sample->per_mp = per_mp;
    l->sample->plan = (sample_plan){.blocks = l->blocks,
                                    .mps = of,
                                    .of = of,
                                    .filling = (uint64_t)of * per_mp,
                                    .each = (uint64_t)of * per_mp,
                                    .base = (uint64_t)of * per_mp,
                                    .picks = of,
                                    .among = of,
                                    .first = l->blocks,
                                    .count = l->blocks,
                                    .share = l->blocks};
    sample_begin(l);
    return true;
}

void sample_close(launch *l) { free(l->sample); }

/* Compare and swap on what all can see: the number of tries depends on how many try. */
static bool tries_again(const code_module *m, uint32_t pc)
{
    return m->info[pc].real && m->info[pc].src->op == OP_ATOM && m->insns[pc].space != SPACE_SHARED &&
           ptx_has(m->info[pc].src, S_CAS);
}

bool sample_wanted(const launch *l)
{
    if (l->wanted->cooperative || l->wanted->trace || (l->watch & WATCH_RACE) || l->code->uses_grid_sync ||
        l->blocks < WORTH_TRYING)
        return false;
    for (uint32_t pc = 0; pc < l->code->count; pc++)
        if (program_reads_clock(l->code, pc, l->s->ops) || tries_again(l->code, pc)) return false;
    return true;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

void sample_tried(sample_trial *t, const block *b)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; i < b->warp_count && i < SAMPLE_WARPS; i++) {
        const uint64_t ran = b->warps[i].executed;
        if (ran > longest) longest = ran;
        if (!t->blocks || ran < t->warp[i]) t->warp[i] = ran;
    }
    if (longest > t->longest) t->longest = longest;
    if (longest < t->shortest) t->shortest = longest;
    t->blocks++;
}

static bool touches_less(const sample_trial *t, uint64_t than) { return t->touches * than < t->all_steps; }
static bool hardly_touches(const sample_trial *t) { return touches_less(t, QUIET); }

/* How many of `of` multiprocessors to time, with `each` steps in a wave, where it matters what they
 * do to what they share. *rough: it should be more, which would take too long. */
static uint64_t fewest_mps(uint64_t of, uint64_t each, const sample_trial *t, bool *rough)
{
    *rough = false;
    if (hardly_touches(t)) return FEWEST_MPS;
    if (of < SOME_MPS) return of;
    *rough = of < MANY_MPS && of * each > ROOM;
    return of < MANY_MPS && !*rough ? of : FEWEST_MPS;
}

/* A launch long enough for a sample, but of a few waves: the last is much of it, or waves come to
 * differ when the blocks get out of step. */
static bool timed_soon(const launch *l, uint64_t steps, const sample_trial *t)
{
    const uint64_t fillings = l->blocks / l->sample->plan.filling, all = steps * l->blocks;
    if (!l->s->card.timing.l2_bytes || hardly_touches(t) || fillings < FEW) return false;
    return fillings < ENOUGH_FILLINGS ? all < SOON_FEW : fillings < SOME_FILLINGS && all < SOON;
}

/* Blocks that differ in length: one at random of each few is timed, all over the grid, so that they
 * do what all do on average. `apart`: neighbours have nothing to do with each other. False: they
 * have, or blocks are too few. */
static bool choose_uneven(launch *l, uint64_t steps, bool apart)
{
    sample_plan *p = &l->sample->plan;
    const uint64_t mps = least(p->of, UNEVEN_MPS), each = mps * l->sample->per_mp;
    const uint64_t count = least(l->blocks * mps / p->of, UNEVEN_FILLINGS * each);
    if (!apart || steps * l->blocks < WORTH_UNEVEN || l->blocks < FEWEST_UNEVEN * p->filling || 2 * count > l->blocks)
        return false;
    p->uneven = true;
    p->mps = (uint32_t)mps;
    p->each = each;
    p->base = p->first = 0;
    p->among = l->blocks;
    p->picks = p->share = p->count = count;
    sample_begin(l);
    return true;
}

/* The time of a block depends on its numbers: some blocks have more instructions, or divide zeros
 * (slow_paths.c). Of few waves the longest block of all decides when the launch ends. */
static bool ends_with_longest(const launch *l, const sample_trial *t)
{
    bool differ = (double)(t->longest - t->shortest) > UNEVEN_FEW * (double)t->longest;
    for (uint32_t pc = 0; pc < l->code->count && !differ; pc++)
        differ = l->code->schedules && l->code->info[pc].real && odd_count(l->code, pc);
    return differ;
}

void sample_choose(launch *l, const sample_trial *t)
{
    sample_plan *p = &l->sample->plan;
    const bool uneven = (double)(t->longest - t->shortest) > UNEVEN * (double)t->longest;
    const uint64_t per_mp = l->sample->per_mp, steps = uneven ? t->all_steps / (uint64_t)t->blocks : t->steps,
                   fillings = (l->blocks + p->filling - 1) / p->filling;
    if (!steps || steps * l->blocks < SIDE_WORTH) return;
    /* on others warps are few, and their registers stay in the host's cache */
    l->sample->ahead = l->s->card.timing.l2_bytes > 0;
    if (l->wanted->exact || steps * l->blocks < SAMPLE_WORTH) return;
    p->large = steps * l->blocks > TOO_LONG;
    l->sample->trial = *t;
    if (uneven && (choose_uneven(l, steps, touches_less(t, LITTLE)) || !p->large)) return;
    if (fillings < FEW && steps * l->blocks < WHOLE_FEW && ends_with_longest(l, t)) return;
    const uint64_t held = least(per_mp, (l->blocks + p->of - 1) / p->of);
    uint64_t mps =
        fillings < FEW ? (WORTH_FEW / steps + 1) / (fillings * held) : (WORTH_TIMING / steps + 1) / (FEW * per_mp);
    const uint64_t fewest = fewest_mps(p->of, steps * per_mp, t, &p->rough);
    if (fillings < FEW && !hardly_touches(t) && mps < FEWEST_FEW) mps = FEWEST_FEW;
    if (fillings >= FEW && !hardly_touches(t) && steps * p->filling * ENOUGH_FILLINGS <= ALL_STEPS) mps = p->of;
    if (mps < fewest) mps = fewest;
    if (mps > p->of || (fillings < FEW && !hardly_touches(t) && 100 * mps > OF_ALL * p->of)) mps = p->of;
    const uint64_t filled = fills_l2(l, t);
    if (filled && l->s->card.timing.l2_bytes > LARGE_L2 && t->steps * l->blocks < LARGE_L2_STEPS) return;
    if (timed_soon(l, steps, t)) return;
    p->mps = (uint32_t)mps;
    p->picks = mps;
    p->huge = steps * mps * per_mp >= (mps == p->of && l->s->card.timing.l2_bytes ? HUGE_OF_ALL : HUGE_FILLING);
    p->skips = p->huge && l->s->card.timing.l2_bytes == 0;
    p->part = steps * mps * per_mp / PARTS;
    p->enough = (uint32_t)least(ENOUGH_FILLINGS, ENOUGH_MOST / (steps * mps * per_mp));
    if (p->enough < ENOUGH / (steps * mps * per_mp)) p->enough = (uint32_t)(ENOUGH / (steps * mps * per_mp));
    const uint64_t until = least(2 * filled, FILLED_MOST / (steps * mps * per_mp));
    if (p->enough < until && t->written / (uint64_t)t->blocks * WRITES > steps) p->enough = (uint32_t)until;
    const uint64_t rows = l->blocks / p->of, rest = l->blocks % p->of;
    p->first = l->blocks < p->filling ? rows * mps + (rest < mps ? rest : mps) : mps * per_mp;
    p->share = p->first + (l->blocks > p->filling ? ((l->blocks - p->filling) * mps + p->of - 1) / p->of : 0);
    p->each = mps * per_mp;
    p->count = p->share;
    if (p->share > p->first) {
        p->count = least(p->share, (p->enough + (p->huge ? AT_FIRST_HUGE : AT_FIRST)) * p->each);
        p->tail = p->share % p->each;
    }
    sample_begin(l);
}

void sample_go_on(launch *l)
{
    time_sample *s = l->sample;
    sample_plan *p = &s->plan;
    if (!p->uneven) p->count = p->large ? least(p->share, (p->enough + MANY) * p->each) : p->share;
    sample_begin(l);
}

/* Steps that must be alike. */
static uint32_t steps_of(const sample_plan *p) { return p->huge ? STEPS - 1 : STEPS; }

/* The time from one wave to the next, over the last half of those that are kept: several swings,
 * where they swing. The first step is unlike those that follow, and counts only when there are no
 * more. */
static double step_of(const time_sample *s)
{
    uint32_t n = s->fillings / 2 > steps_of(&s->plan) ? s->fillings / 2 : steps_of(&s->plan);
    if (n > FILLINGS_KEPT - 1) n = FILLINGS_KEPT - 1;
    if (n > s->fillings - 1) n = s->fillings - 1;
    return (s->mean[(s->fillings - 1) % FILLINGS_KEPT] - s->mean[(s->fillings - 1 - n) % FILLINGS_KEPT]) / n;
}

/* The last steps took as long together as as many before them. */
static bool swing_alike(const time_sample *s)
{
    const uint32_t n = s->plan.huge ? SWING_HUGE : SWING, last = s->fillings - 1;
    if (s->fillings <= 2 * n) return false;
    const double end = s->mean[last % FILLINGS_KEPT], middle = s->mean[(last - n) % FILLINGS_KEPT],
                 begin = s->mean[(last - 2 * n) % FILLINGS_KEPT];
    return fabs((end - middle) - (middle - begin)) <= ALIKE / 2 * (end - middle);
}

/* The last steps are within 1 % of each other. When they grow or shrink one after the other, that
 * may go on to the end, with `left` waves to come, or not: half of it is added (s->drift), and it
 * must not be much. */
static bool are_alike(time_sample *s, double left)
{
    double took[STEPS], shortest = 0, longest = 0;
    bool grow = true, shrink = true;
    const uint32_t n = steps_of(&s->plan);
    if (s->fillings <= n) return false;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = s->fillings - n + i;
        took[i] = s->mean[at % FILLINGS_KEPT] - s->mean[(at - 1) % FILLINGS_KEPT];
        if (!i || took[i] < shortest) shortest = took[i];
        if (!i || took[i] > longest) longest = took[i];
        grow = grow && (!i || took[i] > took[i - 1]);
        shrink = shrink && (!i || took[i] < took[i - 1]);
    }
    /* Two steps of huge waves must be more alike than three. When all multiprocessors are timed
     * that would take too long: 2.naive on an RTX 2070 fluctuates by 1 %, and comes out 0.7 % off
     * after four waves. */
    if (n < STEPS) return longest - shortest <= (s->plan.mps < s->plan.of ? ALIKE / 2 : ALIKE) * longest;
    s->drift = grow || shrink ? (took[STEPS - 1] - took[0]) / (STEPS - 1) * left / 4 : 0;
    return longest - shortest <= ALIKE * longest && s->drift <= DRIFT * longest && -s->drift <= DRIFT * longest;
}

/* The last third of the steps took longer or shorter than the third before: what fills a cache, or
 * brings blocks out of step, goes on for long. */
static bool trends(const time_sample *s)
{
    const uint32_t n = (uint32_t)least(s->fillings - 1, FILLINGS_KEPT - 1) / 3, last = s->fillings - 1;
    if (s->plan.huge || n < 2) return false;
    const double end = s->mean[last % FILLINGS_KEPT], middle = s->mean[(last - n) % FILLINGS_KEPT],
                 begin = s->mean[(last - 2 * n) % FILLINGS_KEPT];
    return fabs((end - middle) - (middle - begin)) > TREND * (middle - begin);
}

/* One channel of DRAM holds all up while most others are idle. Which one, or how many, depends on
 * the blocks under way, so later blocks may take another time. */
static bool crowds(time_sample *s, clocks at)
{
    const time_usage u = time_memory_usage(s->memory);
    s->crowded = s->crowded || (u.channel > BUSY * (double)at && u.channel * u.channels > CROWDED * u.dram);
    return s->crowded;
}

uint64_t sample_next(const time_sample *s, uint64_t begun)
{
    const sample_plan *p = &s->plan;
    return sample_block(p, begun < s->stop ? begun : begun - s->stop + p->share - p->tail);
}

uint64_t sample_begins(time_sample *s, uint64_t begun, clocks at, uint64_t steps)
{
    const sample_plan *p = &s->plan;
    s->full = at + s->skipped;
    s->full_steps = steps;
    if (p->uneven || begun > s->stop || p->share <= p->first) return s->most;
    s->sum += (double)(at + s->skipped);
    if (++s->in < p->each) return s->most;
    s->mean[s->fillings++ % FILLINGS_KEPT] = s->sum / s->in;
    s->sum = s->in = 0;
    const bool alone = s->fillings > p->enough && are_alike(s, (double)(p->share - begun) / (double)p->each);
    if (!alone) s->drift = 0; /* nobody knows where that would lead */
    s->steady = (alone || (s->fillings > p->enough && swing_alike(s))) && !trends(s) &&
                (p->large || (2 * begun <= p->share && !crowds(s, at)));
    if (!s->steady && begun < p->count) return s->most;
    s->stop = begun;
    return s->most = begun + p->tail;
}

static bool within(double part, clocks a, clocks b) { return fabs((double)(a - b)) <= part * (double)a; }

/* The rest of the second wave is known: the next blocks are those of the last, partial one. */
static void settled(time_sample *s, uint64_t begun)
{
    s->steady = true;
    s->drift = 0;
    s->stop = begun;
    s->most = begun + s->plan.tail;
}

/* The second wave goes like the first: what is under way of it need not be timed. When all
 * multiprocessors are timed it must end, because only then it shows that they are out of step. */
static bool goes_like_first(const time_sample *s, uint64_t begun)
{
    const sample_plan *p = &s->plan;
    const uint32_t quarter = PARTS / 4;
    if (p->mps == p->of || s->parts < PARTS + quarter || s->parts % quarter || begun != 2 * p->each ||
        s->fillings != 2 || !p->tail || p->share <= begun)
        return false;
    return within(ALIKE, s->part[s->parts - 1 - PARTS], s->since - s->part[PARTS - 1]);
}

/* Two parts took equally long, with the same blocks under way. */
static enum sample_says go_on_or_skip(time_sample *s, uint64_t begun, clocks before, clocks now)
{
    if (begun != s->same) s->took = 0;
    s->same = begun;
    if (!before || !s->took || !within(ALIKE / 2, s->took, before)) return SAMPLE_GOES_ON;
    s->pace = (s->took + before) / 2;
    s->took = 0; /* nothing is known of what follows */
    if (!s->first) s->first = s->pace;
    if (begun == 2 * s->plan.each && s->fillings == 2 && within(ALIKE, s->first, s->pace) &&
        (s->plan.large || !crowds(s, now)))
        settled(s, begun);
    return SAMPLE_SKIPS;
}

enum sample_says sample_part(time_sample *s, uint64_t begun, clocks now)
{
    const sample_plan *p = &s->plan;
    const clocks at = now + s->skipped, before = s->took;
    s->took = at - s->since;
    s->since = at;
    s->mark += begun > s->stop ? p->part * p->tail / p->each : p->part;
    if (p->skips) return go_on_or_skip(s, begun, before, now);
    s->part[s->parts++] = at;
    if (!goes_like_first(s, begun)) return s->parts < 2 * PARTS ? SAMPLE_GOES_ON : SAMPLE_ENDS;
    settled(s, begun);
    s->dropped = p->each;
    s->mark = UINT64_MAX;
    return SAMPLE_DROPS;
}

uint32_t sample_skips(time_sample *s, double most)
{
    const uint32_t n = most > 0 ? (uint32_t)most : 0;
    s->skipped += n * s->pace;
    s->since += n * s->pace;
    return n;
}

double sample_instructions(const launch *l, const worker *k)
{
    double n = 0;
    for (uint32_t i = 0; k->block_counts && i < l->code->block_count; i++)
        n += (double)k->block_counts[i].warps * l->code->blocks[i].instructions;
    return n;
}

/* Blocks that were timed to their end. */
static uint64_t whole_blocks(const time_sample *s) { return s->begun - s->dropped; }

/* The cycles of the launch from those of the sample. `like`: how much an untimed block does, in
 * blocks of the sample; `more`: what all of those do, in samples. Where blocks differ, the rest
 * goes at the pace of the sample while the card was full. */
static double cycles_of_all(const launch *l, double like, double more)
{
    const time_sample *s = l->sample;
    const sample_plan *p = &s->plan;
    const bool alike = !p->uneven && (s->steady || fabs(like - 1) <= UNEVEN);
    double cycles = (double)l->cycles;
    if (!alike)
        cycles += ((1 + more) * p->mps / p->of - 1) * (double)s->steps / (double)s->full_steps * (double)s->full;
    else if (p->share > whole_blocks(s) && s->fillings > 1)
        cycles += (step_of(s) + s->drift) * like * (double)(p->share - whole_blocks(s)) / (double)p->each - s->cut;
    /* stores and atomics that nobody waits for may pile up: no part of the memory does all in less
     * time than it needs */
    const double piled = s->longest * (1 + more) * p->mps / p->of;
    return piled > cycles ? piled : cycles;
}

uint64_t time_soon(const launch *l)
{
    const double whole = (double)whole_blocks(l->sample);
    return (uint64_t)cycles_of_all(l, 1, whole > 0 ? ((double)l->blocks - whole) / whole : 0);
}

void time_finish(launch *l, worker *all, int n)
{
    time_sample *s = l->sample;
    const sample_plan *p = &s->plan;
    const uint64_t whole = whole_blocks(s);
    l->result->usage.sampled = whole < l->blocks || s->skipped;
    if (whole >= l->blocks || l->stop) return;
    /* of the blocks left out, and of the sample: instructions; blocks that ended, and instructions
     * of those */
    double ran[2] = {0}, ended[2] = {0}, did[2] = {0};
    double longest[2] = {0}; /* of a warp of them */
    for (int i = 0; i < n; i++) {
        const bool clock = i >= 1 && i <= l->clocks;
        ran[clock] += sample_instructions(l, &all[i]);
        ended[clock] += (double)all[i].ended;
        did[clock] += (double)all[i].ended_did;
        longest[clock] = fmax(longest[clock], (double)all[i].longest);
    }
    const double timed = ran[1] - s->untimed, others = ran[0] + s->untimed;
    const double like = did[1] > 0 && ended[0] > 0 ? did[0] / ended[0] / (did[1] / ended[1]) : 1;
    l->cycles = (uint64_t)cycles_of_all(l, like, timed > 0 ? others / timed : 0);
    /* Where all blocks begin at once the longest ends last. One that was left out goes on when most
     * have ended, and nothing holds it up. */
    const double more = l->blocks <= p->filling && longest[0] > longest[1] ? (longest[0] - longest[1]) * s->brisk : 0;
    l->cycles += (uint64_t)more;
    l->result->usage.unsteady = !s->steady || p->rough || fabs(like - 1) > UNEVEN || more > UNEVEN * (double)l->cycles;
    l->result->usage.dram_bytes *= timed > 0 ? 1 + others / timed : 1;
    /* the waits of the sample's warps stand for all */
    for (uint32_t pc = 0; timed > 0 && pc < l->code->count; pc++)
        for (int k = 0; k < SIM_STALLS; k++)
            if (all[1].stalls[pc][k])
                all[1].stalls[pc][k] = (uint64_t)((double)all[1].stalls[pc][k] * (1 + others / timed) + 0.5);
}
