/* sample.c: the time of all blocks from that of some.
 *
 * The rule. A launch of few steps is timed whole. Of a larger one some multiprocessors are timed,
 * with the blocks that they would be given; of each few blocks in a row one at random. A wave is as
 * many blocks as they hold at once. Timing goes on until the launch is known to half a percent: the
 * later half of the waves gives the time from wave to wave, and its error is two standard errors or
 * the change within that half, whichever is more, for the part of the launch that is left. The
 * waves left out take that long each, in proportion to their instructions. The last, partial wave
 * is timed, so the card runs empty as it will in the end. Where blocks differ in length, the sample
 * comes from all over the grid.
 *
 * Multiprocessors that are not timed are still felt (memory_time/untimed_traffic.c). Only what they
 * share at the start is not known well: the first to ask for a line waits for DRAM, the others find
 * it in the L2. So on cards with caches a launch of few waves is timed whole if it can be.
 *
 * What is timed depends on a few blocks that are tried first and on the clock, never on the host.
 * Kernels that read the clock or compare and swap, blocks that must all be resident, traced, filmed
 * and race-checked launches are timed whole.
 */
#include "time.h"
#include "sample.h"
#include <math.h>
#include <stdlib.h>

enum {
    STEPS = 5000000,       /* of the first three waves of the sample, at least: some tenths of a second */
    ENOUGH = 4000000,      /* steps that are timed at least, so that the start wears off */
    COLD_WAVES = 8,        /* in fewer the start is much of the launch; it is timed whole ... */
    COLD_WHOLE = 60000000, /* ... if it has no more steps than this: some seconds */
    LEAST_MPS = 8,         /* multiprocessors */
    MOST_MPS = 40,         /* cards with fewer have all timed, if their wave has no more steps than ROOM */
    ROOM = 60000000,
    OF_ALL = 40,          /* percent of the multiprocessors: a sample of more has all */
    QUIET = 500,          /* fewer than one step in so many reaches what multiprocessors share: others matter little */
    FEWEST_UNEVEN = 16,   /* waves: with fewer it matters which block ends last */
    UNEVEN_WAVES = 40,    /* of blocks that differ at most so many waves are timed */
    HUGE_WAVE = 8000000,  /* steps of a wave that is timed in parts (skip.c) */
    TOO_LONG = 300000000, /* steps: such a launch is never timed whole */
    MANY = 32,            /* waves of it are timed at most */
    AT_FIRST = 20,        /* waves after those that the clock keeps while the other blocks run */
    WORTH_TRYING = 8      /* blocks */
};
static const double KNOWN = 0.005 /* of the launch */, PARTS_ALIKE = 0.01, UNEVEN = 0.05;
/* How far samples were off, at most, in 85 of 88 launches (scripts/sample-check): with some
 * multiprocessors of a card with caches, in launches of few waves; there in others, or where blocks
 * differ; with all multiprocessors. */
static const double COLD = 0.09, SOME = 0.03, ALL = 0.01;

/* Nothing has been timed yet. */
static void sample_begin(launch *l)
{
    time_sample *s = l->sample;
    s->most = s->plan.count;
    s->stop = UINT64_MAX;
    s->steady = false;
    s->error = 0;
    s->fillings = s->in = 0;
    s->sum = s->untimed = 0;
    s->since = s->took = s->first = s->skipped = s->full = 0;
    s->full_steps = s->steps = 0;
    s->same = s->plan.each;
    s->mark = s->plan.part ? s->plan.part : UINT64_MAX;
}

bool sample_open(launch *l)
{
    const sim_timing *t = &l->s->card.timing;
    const uint32_t of = (uint32_t)l->s->card.multiprocessors,
                   schedulers = t->schedulers > 0 ? (uint32_t)t->schedulers : 1;
    uint32_t per_mp = (l->resident + of - 1) / of; /* fewer on all when clusters do not fill every multiprocessor */
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

bool sample_wanted(const launch *l)
{
    return l->cluster_blocks == 1 && !l->wanted->cooperative && !l->wanted->trace && !l->wanted->film &&
           !(l->watch & WATCH_RACE) && !l->code->uses_grid_sync && l->blocks >= WORTH_TRYING &&
           !(l->entry->asks & (FUNC_CLOCK | FUNC_SWAPS));
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
static bool is_quiet(const sample_trial *t) { return touches_less(t, QUIET); }

/* Blocks that differ in length: one at random of each few is timed, all over the grid, so that they
 * do what all do on average. False: blocks are too few. */
static bool choose_uneven(launch *l)
{
    sample_plan *p = &l->sample->plan;
    const uint64_t mps = least(p->of, MOST_MPS), each = mps * l->sample->per_mp;
    const uint64_t count = least(l->blocks * mps / p->of, UNEVEN_WAVES * each);
    if (2 * count > l->blocks || l->blocks < FEWEST_UNEVEN * p->filling) return false;
    p->uneven = true;
    p->mps = (uint32_t)mps;
    p->each = each;
    p->base = p->first = 0;
    p->among = l->blocks;
    p->picks = p->share = p->count = count;
    sample_begin(l);
    return true;
}

/* Multiprocessors to time: so many that their first waves are worth it; all, if that is near. */
static uint64_t mps_of(const launch *l, uint64_t steps, uint64_t fillings, const sample_trial *t)
{
    const sample_plan *p = &l->sample->plan;
    const uint64_t per_mp = l->sample->per_mp, held = least(per_mp, (l->blocks + p->of - 1) / p->of);
    const bool quiet = is_quiet(t);
    uint64_t mps = STEPS / (steps * held * least(fillings, 3)) + 1;
    if (mps < LEAST_MPS) mps = LEAST_MPS;
    if (!quiet && p->of < MOST_MPS && p->of * steps * per_mp <= ROOM) return p->of;
    return mps > p->of || (!quiet && 100 * mps > OF_ALL * p->of) ? p->of : mps;
}

void sample_choose(launch *l, const sample_trial *t)
{
    sample_plan *p = &l->sample->plan;
    const bool uneven = (double)(t->longest - t->shortest) > UNEVEN * (double)t->longest,
               cached = l->s->card.timing.l2_bytes > 0;
    const uint64_t per_mp = l->sample->per_mp, steps = uneven ? t->all_steps / (uint64_t)t->blocks : t->steps,
                   all = steps * l->blocks, fillings = (l->blocks + p->filling - 1) / p->filling;
    if (!steps || all < SIDE_WORTH) return;
    /* on others warps are few, and their registers stay in the host's cache */
    l->sample->ahead = cached;
    if (l->wanted->exact || all < SAMPLE_WORTH) return;
    p->large = all > TOO_LONG;
    l->sample->trial = *t;
    if (uneven && (p->large || is_quiet(t)) && choose_uneven(l)) return;
    if (uneven && !p->large) return;
    const bool cold = cached && fillings < COLD_WAVES && !is_quiet(t);
    if (cold && all <= COLD_WHOLE) return;
    const uint64_t mps = mps_of(l, steps, fillings, t), wave = steps * mps * per_mp;
    p->mps = (uint32_t)mps;
    p->picks = mps;
    p->cold = cold && mps < p->of;
    p->part = wave >= HUGE_WAVE && !cached ? wave / PARTS : 0;
    p->enough = (uint32_t)(ENOUGH / wave);
    const uint64_t rows = l->blocks / p->of, rest = l->blocks % p->of;
    p->first = l->blocks < p->filling ? rows * mps + least(rest, mps) : mps * per_mp;
    p->share = p->first + (l->blocks > p->filling ? ((l->blocks - p->filling) * mps + p->of - 1) / p->of : 0);
    p->each = mps * per_mp;
    p->count = p->share;
    if (p->share > p->first) {
        p->count = least(p->share, (p->enough + AT_FIRST) * p->each);
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

/* The time from one wave to the next, from the later half of those that were timed, and its
 * relative error. */
typedef struct pace {
    double step, error;
} pace;
static pace pace_of(const time_sample *s)
{
    const uint32_t all = s->fillings - 1, half = all / 2 > 2 ? all / 2 : 2,
                   n = half < FILLINGS_KEPT / 2 ? half : FILLINGS_KEPT / 2;
    double sum = 0, squares = 0, later = 0;
    if (all < 2) return (pace){.step = all ? s->mean[1] - s->mean[0] : 0, .error = 1};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = s->fillings - n + i;
        const double took = s->mean[at % FILLINGS_KEPT] - s->mean[(at - 1) % FILLINGS_KEPT];
        sum += took;
        squares += took * took;
        if (i >= n - n / 2) later += took;
    }
    const double mean = sum / n, variance = fmax(0, (squares - sum * mean) / (n - 1)),
                 change = fabs(later / (n / 2) - (sum - later) / (n - n / 2));
    return (pace){.step = mean, .error = fmax(2 * sqrt(variance / n), change) / mean};
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
    const pace of = pace_of(s);
    const double left = (double)(p->share - begun) / (double)p->each * of.step;
    s->error = left > 0 ? of.error * left / (s->mean[(s->fillings - 1) % FILLINGS_KEPT] + left) : 1;
    if (begun >= p->share) s->error = 0;
    s->steady = s->fillings > p->enough && s->error <= KNOWN && (p->large || 2 * begun <= p->share);
    if (!s->steady && begun < p->count) return s->most;
    s->stop = begun;
    return s->most = begun + p->tail;
}

static bool within(double part, clocks a, clocks b) { return fabs((double)(a - b)) <= part * (double)a; }

/* Two parts took equally long, with the same blocks under way. */
static enum sample_says go_on_or_skip(time_sample *s, uint64_t begun, clocks before)
{
    if (begun != s->same) s->took = 0;
    s->same = begun;
    if (!before || !s->took || !within(PARTS_ALIKE / 2, s->took, before)) return SAMPLE_GOES_ON;
    s->pace = (s->took + before) / 2;
    s->took = 0; /* nothing is known of what follows */
    if (!s->first) s->first = s->pace;
    /* the second wave goes like the first: what follows are the blocks of the last, partial one */
    if (begun == 2 * s->plan.each && s->fillings == 2 && within(PARTS_ALIKE, s->first, s->pace)) {
        s->steady = true;
        s->error = PARTS_ALIKE;
        s->stop = begun;
        s->most = begun + s->plan.tail;
    }
    return SAMPLE_SKIPS;
}

enum sample_says sample_part(time_sample *s, uint64_t begun, clocks now)
{
    const sample_plan *p = &s->plan;
    const clocks at = now + s->skipped, before = s->took;
    s->took = at - s->since;
    s->since = at;
    s->mark += begun > s->stop ? p->part * p->tail / p->each : p->part;
    return go_on_or_skip(s, begun, before);
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
    else if (p->share > s->begun && s->fillings > 1)
        cycles += pace_of(s).step * like * (double)(p->share - s->begun) / (double)p->each;
    /* stores and atomics that nobody waits for may pile up: no part of the memory does all in less
     * time than it needs */
    const double piled = s->longest * (1 + more) * p->mps / p->of;
    return piled > cycles ? piled : cycles;
}

uint64_t time_soon(const launch *l)
{
    const double whole = (double)l->sample->begun;
    return (uint64_t)cycles_of_all(l, 1, whole > 0 ? ((double)l->blocks - whole) / whole : 0);
}

void time_finish(launch *l, worker *all, int n)
{
    time_sample *s = l->sample;
    const sample_plan *p = &s->plan;
    const uint64_t whole = s->begun;
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
    /* blocks of other lengths than those of the sample: by how much they count */
    const double unlike = fabs(like - 1) * (double)(l->blocks - whole) / (double)l->blocks;
    const double error = p->uneven ? 0 : unlike + more / (double)l->cycles + (whole < p->share ? s->error : 0),
                 unknown = p->cold                                             ? COLD
                           : p->uneven || (p->mps < p->of && l->sample->ahead) ? SOME
                                                                               : ALL;
    l->result->usage.error = fmax(error, unknown);
    l->result->usage.dram_bytes *= timed > 0 ? 1 + others / timed : 1;
    /* the waits of the sample's warps stand for all */
    for (uint32_t pc = 0; timed > 0 && pc < l->code->count; pc++)
        for (int k = 0; k < SIM_STALLS; k++)
            if (all[1].stalls[pc][k])
                all[1].stalls[pc][k] = (uint64_t)((double)all[1].stalls[pc][k] * (1 + others / timed) + 0.5);
}
