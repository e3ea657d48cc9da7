/* sample.c: the time of all blocks from that of some.
 *
 * The multiprocessors of a card have like work, and a launch of very many blocks gives it to them again and again. So only some of
 * them are timed, with the blocks that they would be given, the first few times that the card is full; the other blocks run untimed, for
 * their results. The other multiprocessors are there all the same: for each access that reaches the L2 or DRAM from those that are
 * timed, as many more come from the others as there are more of them (share.c).
 *
 * The time of what is not timed is worked out: each place of a block on the card goes on
 * taking one block after the other, as it did when the card was full and warm, until all have been dealt out; the last ones take
 * as long as the last timed ones took, while the card ran empty. Blocks that run more or fewer instructions than the timed ones count
 * in proportion. How many are timed depends on the instructions of one block that is tried first, and so not on the host.
 *
 * Kernels that read the clock or compare and swap, blocks that must all be resident, traced and race-checked launches are timed whole.
 */
#include "time.h"
#include "sample.h"
#include <stdlib.h>

enum {
    WORTH_SAMPLING = 6000000, /* steps of all blocks */
    WORTH_TIMING = 2500000,   /* of those of the sample: some tenths of a second */
    FEWEST = 3,               /* fillings: one to warm up, one to measure, one to run empty */
    FEWEST_MPS = 4,           /* multiprocessors, of a card that has many; */
    MANY_MPS = 16,            /* fewer than these are timed all: with 4 of an 8800 GT's 14 a kernel came out 13 % too slow */
    WORTH_TRYING = 8,         /* blocks */
    LARGE_L2 = 16 << 20,      /* bytes: more than a sample touches */
    LARGE_L2_STEPS = 30000000
};

/* A launch that fills a large L2 only in its course goes slower then, and no sample sees that. Very long ones are sampled all the same. */
static bool fills_l2_late(const launch *l, uint64_t steps)
{
    const int64_t l2 = l->s->card.timing.l2_bytes;
    return l2 > LARGE_L2 && l->s->mem.in_use > (uint64_t)l2 && steps < LARGE_L2_STEPS;
}

bool sample_open(launch *l)
{
    const sim_timing *t = &l->s->card.timing;
    const uint32_t of = (uint32_t)l->s->card.multiprocessors, schedulers = t->schedulers > 0 ? (uint32_t)t->schedulers : 1;
    uint32_t per_mp = l->resident / of;
    while (per_mp > 1 && per_mp * l->warps > 64 * schedulers) per_mp--;
    l->sample = calloc(1, sizeof *l->sample + (size_t)of * per_mp * sizeof *l->sample->place);
    if (!l->sample) return false;
    l->sample->per_mp = per_mp;
    l->sample->plan = (sample_plan){.mps = of, .of = of, .filling = (uint64_t)of * per_mp, .first = l->blocks, .count = l->blocks};
    return true;
}

void sample_close(launch *l) { free(l->sample); }

/* Compare and swap at what all can see: how often it is tried depends on how many try. */
static bool tries_again(const code_module *m, uint32_t pc)
{
    if (!m->info[pc].real || m->info[pc].src->op != OP_ATOM || m->insns[pc].space == SPACE_SHARED) return false;
    for (int i = 0; i < m->info[pc].src->suffix_count; i++)
        if (m->info[pc].src->suffix[i] == S_CAS) return true;
    return false;
}

bool sample_wanted(const launch *l)
{
    if (l->wanted->exact || l->wanted->cooperative || l->wanted->trace || (l->watch & WATCH_RACE) || l->code->uses_grid_sync || l->blocks < WORTH_TRYING)
        return false;
    for (uint32_t pc = 0; pc < l->code->count; pc++)
        if (program_reads_clock(l->code, pc, l->s->ops) || tries_again(l->code, pc)) return false;
    return true;
}

void sample_choose(launch *l, uint64_t steps)
{
    sample_plan *p = &l->sample->plan;
    const uint64_t per_mp = l->sample->per_mp;
    if (!steps || steps * l->blocks < WORTH_SAMPLING || fills_l2_late(l, steps * l->blocks)) return;
    uint64_t worth = WORTH_TIMING / steps + 1, fillings = (l->blocks + p->filling - 1) / p->filling;
    if (fillings > FEWEST) fillings = FEWEST;
    uint64_t mps = worth / (fillings * per_mp);
    const uint64_t fewest = p->of < MANY_MPS ? p->of : FEWEST_MPS;
    if (mps < fewest) mps = fewest;
    if (mps > p->of) mps = p->of;
    p->mps = (uint32_t)mps;
    const uint64_t rows = l->blocks / p->of, rest = l->blocks % p->of;
    p->first = l->blocks < p->filling ? rows * mps + (rest < mps ? rest : mps) : mps * per_mp;
    uint64_t behind = l->blocks > p->filling ? ((l->blocks - p->filling) * mps + p->of - 1) / p->of : 0; /* the share of all others */
    uint64_t more = worth > FEWEST * mps * per_mp ? worth - mps * per_mp : (FEWEST - 1) * mps * per_mp;
    p->count = p->first + (behind <= more + more / 2 ? behind : more);
    if (p->mps == p->of && p->count == p->first + behind) p->count = l->blocks;
}

static double instructions(const launch *l, const worker *k)
{
    double n = 0;
    for (uint32_t i = 0; k->block_counts && i < l->code->block_count; i++) n += (double)k->block_counts[i].warps * l->code->blocks[i].instructions;
    return n;
}

static int by_next(const void *a, const void *b)
{
    const time_place *x = a, *y = b;
    return (x->next > y->next) - (x->next < y->next);
}

/* When the last block ends, if each place takes a block every `each` clocks and the last one takes `last`. */
static clocks replay(time_sample *s, uint64_t blocks, double each, double last)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->places; i++)
        if (s->place[i].starts) s->place[n++] = s->place[i];
    clocks end = s->end;
    if (!n) return end;
    qsort(s->place, n, sizeof *s->place, by_next);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t more = blocks / n + (i < blocks % n);
        if (!more) continue;
        clocks at = s->place[i].next + (clocks)((double)(more - 1) * each + last);
        if (at > end) end = at;
    }
    return end;
}

void time_finish(launch *l, worker *all, int n)
{
    time_sample *s = l->sample;
    const sample_plan *p = &s->plan;
    if (p->count >= l->blocks || l->stop) return;
    worker *clock = &all[1];
    double timed = instructions(l, clock), others = 0, each = 0, last = 0;
    for (int i = 0; i < n; i++) others += i == 1 ? 0 : instructions(l, &all[i]);
    uint32_t counted = 0, used = 0;
    for (uint32_t i = 0; i < s->places; i++) {
        time_place *place = &s->place[i];
        if (!place->starts) continue;
        used++;
        last += (double)(place->end - place->last);
        if (place->starts < 3) continue;
        each += (double)(place->last - place->second) / (place->starts - 2);
        counted++;
    }
    if (!used) return;
    last /= used;
    each = counted ? each / counted : last;
    for (uint32_t i = 0; i < s->places; i++) s->place[i].next = s->place[i].last + (clocks)each;
    double like = timed > 0 ? others / (double)(l->blocks - p->count) / (timed / (double)p->count) : 1; /* a block of the rest, in blocks of the sample */
    /* what these multiprocessors would still have to run */
    uint64_t behind = l->blocks > p->filling ? ((l->blocks - p->filling) * p->mps + p->of - 1) / p->of : 0, had = p->count - p->first;
    l->cycles = (uint64_t)(behind > had ? replay(s, behind - had, each * like, last * like) : s->end);
    /* stores and atomics that nobody waits for may pile up: no piece of the memory does all in less than it takes */
    double piled = s->longest * (1 + (timed > 0 ? others / timed : 0)) * p->mps / p->of;
    if (piled > (double)l->cycles) l->cycles = (uint64_t)piled;
    l->result->usage.sampled = true;
    l->result->usage.dram_bytes *= timed > 0 ? 1 + others / timed : 1;
    /* what the warps of the sample waited for stands for all */
    for (uint32_t pc = 0; timed > 0 && pc < l->code->count; pc++)
        for (int k = 0; k < SIM_STALLS; k++) clock->stalls[pc][k] = (uint64_t)((double)clock->stalls[pc][k] * (1 + others / timed) + 0.5);
}
