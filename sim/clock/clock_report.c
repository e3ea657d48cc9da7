/* clock_report.c: what a launch in timed order reports: how busy the card was, and what held it
 * up. */
#include "clock.h"
#include "sample.h"
#include <math.h>

/* What kept the launch from being faster: the resource most in use on the multiprocessors that had
 * work; or the one that warps queued for most of their time, though not all of it was in use (some
 * channels of DRAM, say); or none. */
static enum sim_bound bound_of(const course *c, const sim_usage *u)
{
    static const enum sim_stall queues[] = {SIM_STALL_SLOT, SIM_STALL_PORT, SIM_STALL_DRAM};
    const double in_use[] = {u->issue, u->port, u->dram}; /* in the order of enum sim_bound */
    double waits[SIM_STALLS] = {0}, all = 0, most = 0, longest = 0;
    enum sim_bound used = SIM_BOUND_NONE, queued = SIM_BOUND_NONE;
    for (uint32_t pc = 0; pc < c->l->code->count; pc++)
        for (int k = 0; k < SIM_STALLS; k++) {
            waits[k] += (double)c->group->stalls[pc][k];
            all += (double)c->group->stalls[pc][k];
        }
    for (int i = 0; i < 3; i++) {
        if (in_use[i] > most) most = in_use[i], used = (enum sim_bound)(SIM_BOUND_ISSUE + i);
        if (waits[queues[i]] > longest) longest = waits[queues[i]], queued = (enum sim_bound)(SIM_BOUND_ISSUE + i);
    }
    if (u->busy > 0 && used != SIM_BOUND_DRAM) most /= u->busy;
    if (u->starting >= 0.9 && u->starting > most) return SIM_BOUND_STARTS;
    if (most >= 0.6) return used;
    if (longest > 0.5 * all) return queued;
    return u->busy < 0.5 ? SIM_BOUND_FEW_BLOCKS : SIM_BOUND_LATENCY;
}

/* What all groups report; their stalls are added to the first one's. */
typedef struct told {
    clocks end;
    double brisk;
    clocks from, to; /* while tensor cores work, and the card's clock then: timed.khz */
    int khz;
    uint64_t slots, busy, resident; /* clocks: of schedulers that issued; of multiprocessors with blocks; of warps */
} told;

static void add_group(const course *c, const timed *x, told *t)
{
    t->slots += x->extra;
    t->busy += x->busy;
    t->resident += x->resident;
    for (const step *s = x->p.steps; s < x->p.steps + x->p.count; s++) {
        uint64_t *row = x->stalls[s->pc];
        t->slots += s->issued * s->slot;
        row[SIM_STALL_ISSUE] += s->issued * s->slot;
        row[SIM_STALL_ARITHMETIC] += s->issued * (s->next - s->slot);
        row[SIM_STALL_SLOT] += s->waited;
    }
    if (x->end > t->end) t->end = x->end;
    if (x->khz && (!t->khz || x->products_from < t->from)) t->from = x->products_from;
    if (x->khz && (!t->khz || x->khz < t->khz)) t->khz = x->khz;
    if (x->khz && x->products_to > t->to) t->to = x->products_to;
    if (x->brisk > 0 && (t->brisk == 0 || x->brisk < t->brisk)) t->brisk = x->brisk;
    for (uint32_t i = x->first; i < x->first + x->count; i++)
        for (uint32_t k = 0; k < x->schedulers; k++)
            if (c->mps[i].schedulers[k].free > t->end) t->end = c->mps[i].schedulers[k].free;
    for (uint32_t pc = 0; x != c->group && pc < c->l->code->count; pc++)
        for (int k = 0; k < SIM_STALLS; k++) {
            c->group->stalls[pc][k] += x->stalls[pc][k];
            x->stalls[pc][k] = 0;
        }
}

/* Percent of the clocks of `schedulers`, in `count` equal parts of the time up to `end`. */
static void over_time_report(const over_time *o, clocks end, uint32_t schedulers, uint32_t *out, int count)
{
    const double wide = (double)(UINT64_C(1) << o->shift), part = (double)end / count;
    for (int k = 0; k < count && end > 0; k++) {
        const double from = k * part, to = (k + 1) * part;
        double slots = 0;
        for (int i = (int)(from / wide); i < OVER_TIME_BUCKETS && i * wide < to; i++) {
            const double low = i * wide > from ? i * wide : from, high = (i + 1) * wide < to ? (i + 1) * wide : to;
            if (high > low) slots += (double)o->slots[i] * (high - low) / wide;
        }
        const double percent = 100 * slots / (part * schedulers);
        out[k] = (uint32_t)(percent > 100 ? 100 : percent + 0.5);
    }
}

void clock_report(course *c)
{
    launch *l = c->l;
    const timed *x = c->group;
    sim_usage *u = &l->result->usage;
    told t = {0};
    for (uint32_t g = 0; g < c->groups; g++) add_group(c, &c->group[g], &t);
    double all = (double)t.end * c->mp_count;
    time_sample *sample = l->sample;
    l->cycles = (uint64_t)(t.end + sample->skipped);
    const clocks products = (t.to < t.end ? t.to : t.end) - t.from;
    sample->slower =
        t.khz && t.end > 0 ? (double)products / (double)t.end * ((double)l->s->card.clock_khz / t.khz - 1) : 0;
    sample->begun = c->begun;
    sample->brisk = t.brisk;
    for (uint32_t g = 0; g < c->groups; g++) sample->steps += c->group[g].issued;
    sample->steady = sample->steady || c->begun >= sample->plan.share || sample->plan.uneven;
    u->timed_blocks = c->begun;
    time_usage used = time_memory_usage(c->memory);
    u->resident_blocks = x->per_mp;
    u->resident_warps = x->per_mp * l->warps;
    if (all > 0) {
        u->busy = (double)t.busy / all;
        u->issue = (double)t.slots / (all * x->schedulers);
        sample->longest = used.longest;
        u->port = used.port / all;
        u->l2 = fmin(1, used.l2 / ((double)t.end * x->t->l2_slices));
        u->dram = used.dram / ((double)t.end * x->t->partitions);
        u->dram_bytes = (double)used.dram_bytes;
        u->starting =
            fmin(1, l->s->card.timing.block_start * sample->plan.of / c->mp_count * (double)c->begun / (double)t.end);
        u->bound = bound_of(c, u);
        over_time_report(c->over_time, t.end, x->schedulers, u->over_time, SIM_OVER_TIME);
        u->occupancy = (double)t.resident / (all * (l->s->card.max_threads_per_mp / 32));
    }
}
