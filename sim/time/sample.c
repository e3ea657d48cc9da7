/* sample.c: the time of all blocks from that of the first ones.
 *
 * A launch of very many blocks fills the card again and again with the same work. Then only the first few fillings are timed; the
 * other blocks run untimed, for their results, and their time is worked out: each place of a block on the card goes on
 * taking one block after the other, as it did when the card was full and warm, until all have been dealt out; the last ones take
 * as long as the last timed ones took, while the card ran empty. Blocks that run more or fewer instructions than the timed ones count
 * in proportion.
 *
 * Kernels that read the clock, blocks that must all be resident, traced and race-checked launches are timed whole.
 */
#include "time.h"
#include "sample.h"
#include <stdlib.h>

enum {
    WORTH_TIMING = 6000000, /* steps that take some tenths of a second */
    FEWEST = 3              /* fillings: one to warm up, one to measure, one to run empty */
};

uint64_t sample_blocks(const launch *l, uint64_t places, uint64_t steps_of_one_filling)
{
    uint64_t fillings = steps_of_one_filling ? WORTH_TIMING / steps_of_one_filling : WORTH_TIMING;
    if (fillings < FEWEST) fillings = FEWEST;
    uint64_t blocks = fillings * places;
    return blocks + blocks / 2 < l->blocks ? blocks : l->blocks;
}

bool sample_wanted(const launch *l, const program *p)
{
    return !l->wanted->exact && !l->wanted->cooperative && !l->wanted->trace && !(l->watch & WATCH_RACE) && !l->code->uses_grid_sync && !p->reads_clock;
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
    if (!s || s->blocks >= l->blocks || l->stop) return;
    uint64_t rest = l->blocks - s->blocks;
    double timed = instructions(l, &all[0]), others = 0, each = 0, last = 0;
    for (int i = 1; i < n; i++) others += instructions(l, &all[i]);
    uint32_t counted = 0, used = 0;
    for (uint32_t i = 0; i < s->places; i++) {
        time_place *p = &s->place[i];
        if (!p->starts) continue;
        used++;
        last += (double)(p->end - p->last);
        if (p->starts < 3) continue;
        each += (double)(p->last - p->second) / (p->starts - 2);
        counted++;
    }
    if (!used) return;
    last /= used;
    each = counted ? each / counted : last;
    for (uint32_t i = 0; i < s->places; i++) s->place[i].next = s->place[i].last + (clocks)each;
    double like = timed > 0 ? others / (double)rest / (timed / (double)s->blocks) : 1; /* a block of the rest, in blocks of the sample */
    l->cycles = (uint64_t)replay(s, rest, each * like, last * like);
    l->result->usage.sampled = true;
    l->result->usage.dram_bytes *= timed > 0 ? 1 + others / timed : 1;
    /* what the warps of the sample waited for stands for all */
    for (uint32_t pc = 0; timed > 0 && pc < l->code->count; pc++)
        for (int k = 0; k < SIM_STALLS; k++) all[0].stalls[pc][k] = (uint64_t)((double)all[0].stalls[pc][k] * (1 + others / timed) + 0.5);
}
