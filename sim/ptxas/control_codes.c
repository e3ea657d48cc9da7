/* control_codes.c: how long a warp waits for its own arithmetic, on cards whose compilers look at
 * more than one instruction (code_module.schedules).
 *
 * Such a card does not track the results of its arithmetic. Each instruction says how many clocks
 * the warp waits before its next one. The compiler works that out as if loads took no time. So what
 * a comparison takes is waited for after a load, too, though it was over long ago. Loads, special
 * functions and the like are waited for when they are needed. What ptxas writes (the least
 * distances in its machine code for all kernels here, compute 7.5 and 9.0):
 *
 *   - A result reaches its own unit after `time.latency`, the other arithmetic unit one clock later,
 *     and a load, store or shuffle `time.to_memory` later.
 *   - A predicate is ready sooner for what chooses by it (`time.select_latency`) than for what it
 *     guards, jumps among them (`time.predicate_latency`).
 *   - Instructions for the memory unit are at least `time.memory_apart` apart.
 */
#include "rules.h"
#include "ptxas.h"
#include <stdlib.h>

typedef struct waits {
    program *p;
    const code_module *m;
    const sim_timing *t;
    uint32_t region; /* counts regions: blocks that are one in the machine code */
} waits;

static bool is_watched(const step *s)
{
    return s->unit == UNIT_MEMORY || s->unit == UNIT_SPECIAL || s->branch || s->cause != SIM_STALL_ARITHMETIC;
}

/* Which unit made a register, and when it is ready: as an operand, and, of a predicate, for what it
 * guards. Zeros, or another region: it is waited for when it is needed. */
typedef struct arrival {
    uint32_t region, at, guard;
    uint8_t unit;
} arrival;

static bool computes(enum unit u) { return u == UNIT_FLOAT || u == UNIT_INT || u == UNIT_PRODUCT; }

/* More clocks for what goes from one unit to another. */
static uint32_t crossing(const waits *c, enum unit from, enum unit to)
{
    if (from == UNITS || from == to || c->t->units != 2) return 0;
    if (to == UNIT_MEMORY) return computes(from) ? clocks_of(c->t->to_memory) : 0;
    return computes(from) && computes(to);
}

/* The instruction chooses by the predicate, which does not guard it. */
static bool chooses_by(const waits *c, const step *s, uint16_t reg)
{
    const code_info *info = &c->m->info[s->pc];
    if (!info->real || s->done_or_not || !ptx_chooses(info->src)) return false;
    step own = {0};
    uint32_t most = UINT16_MAX;
    program_names(&own, c->m, s->pc, &most);
    for (int i = 0; i < own.sources; i++)
        if (own.source[i] == reg) return true;
    return false;
}

/* When the step can issue, as far as its operands say. */
static uint32_t operands_at(const waits *c, const step *s, const arrival *in)
{
    uint32_t at = 0;
    for (int i = 0; i < s->sources; i++) {
        const arrival *a = &in[s->source[i]];
        if (a->region != c->region) continue;
        uint32_t there = a->at == a->guard || chooses_by(c, s, s->source[i]) ? a->at : a->guard;
        if (there) there += crossing(c, (enum unit)a->unit, (enum unit)s->unit);
        if (there > at) at = there;
    }
    return at;
}

/* A free step is ready with its operands. */
static arrival of_free(const waits *c, const step *s, const arrival *in, uint32_t now)
{
    arrival a = {.region = c->region, .at = now, .guard = now, .unit = UNITS};
    for (int i = 0; i < s->sources; i++) {
        if (in[s->source[i]].region != c->region) continue;
        if (s->sources == 1) a.unit = in[s->source[i]].unit;
        if (in[s->source[i]].at > a.at) a.at = in[s->source[i]].at;
        if (in[s->source[i]].guard > a.guard) a.guard = in[s->source[i]].guard;
    }
    return a;
}

/* By how many clocks a comparison is ready sooner for what chooses by it. */
static uint32_t sooner(const waits *c)
{
    const double by = c->t->predicate_latency - c->t->select_latency;
    return c->t->select_latency > 0 && by > 0 ? clocks_of(by) : 0;
}

static arrival of_predicate(const waits *c, const step *s, uint32_t latency, uint32_t at)
{
    const uint32_t less = latency > sooner(c) ? sooner(c) : 0;
    return (arrival){.region = c->region,
                     .at = at + latency - less,
                     .guard = at + latency,
                     .unit = latency > clocks_of(c->t->latency) ? UNITS : s->unit};
}

static arrival of_step(const waits *c, const step *s, uint32_t at)
{
    if (is_watched(s)) return (arrival){.region = c->region, .unit = UNITS};
    if (c->m->info[s->pc].cls == SIM_CLASS_COMPARE) return of_predicate(c, s, s->latency, at);
    return (arrival){.region = c->region,
                     .at = at + s->latency,
                     .guard = at + s->latency,
                     .unit = s->latency > clocks_of(c->t->latency) ? UNITS : s->unit};
}

static bool goes_to_memory(const step *s) { return s->unit == UNIT_MEMORY && !s->branch; }

/* Nothing else goes to the block, and the one before goes nowhere else: in the machine code they
 * are one. */
static bool goes_on(const waits *c, uint32_t k, const uint8_t *entered)
{
    const code_module *m = c->m;
    if (!k || entered[m->blocks[k].first] || m->info[m->blocks[k].first].func != m->info[m->blocks[k - 1].first].func)
        return false;
    const uint32_t last = m->blocks[k - 1].last;
    if (m->info[last].cls != SIM_CLASS_BRANCH)
        return m->info[last].real && class_computes((enum sim_class)m->info[last].cls);
    return c->p->first[last] < c->p->first[last + 1] && c->p->steps[c->p->first[last]].free;
}

static void state(waits *c, arrival *in, const uint8_t *entered)
{
    program *p = c->p;
    const code_module *m = c->m;
    step *before = NULL;
    uint32_t now = 0, memory_at = 0;
    for (uint32_t k = 0; k < m->block_count; k++) {
        const uint32_t from = p->first[m->blocks[k].first], to = p->first[m->blocks[k].last + 1];
        if (!goes_on(c, k, entered)) {
            before = NULL;
            now = memory_at = 0;
            c->region++;
        }
        for (uint32_t i = from; i < to; i++) {
            step *s = &p->steps[i];
            if (!s->free) {
                uint32_t at = before ? now + before->slot : 0;
                const uint32_t there = operands_at(c, s, in);
                if (there > at) at = there;
                if (goes_to_memory(s) && memory_at > at) at = memory_at;
                if (goes_to_memory(s)) memory_at = at + clocks_of(c->t->memory_apart);
                if (before) before->stall = at - now;
                now = at;
                before = s;
            }
            const arrival made = s->free ? of_free(c, s, in, now) : of_step(c, s, now);
            for (int r = 0; r < s->targets; r++) in[s->target[r]] = made;
            if (s->tested && s->targets) in[s->target[s->targets - 1]] = of_predicate(c, s, s->tested, now);
        }
    }
}

/* The wait for what a comparison guards is written into instructions (state). What chooses by it
 * can issue earlier. */
static void compare_sooner(const waits *c)
{
    const uint32_t less = sooner(c);
    for (uint32_t i = 0; less && i < c->p->count; i++) {
        step *s = &c->p->steps[i];
        if (c->m->info[s->pc].cls == SIM_CLASS_COMPARE && s->targets && s->latency > less) s->latency -= less;
    }
}

bool control_codes_make(program *p, const code_module *m, const sim *card)
{
    if (rule_left_out(RULE_control_codes)) return true;
    waits c = {.p = p, .m = m, .t = &card->card.timing};
    arrival *in = calloc((size_t)p->registers + 1, sizeof *in);
    uint8_t *left = program_entries(m, p, card->ops);
    if (in && left) {
        state(&c, in, left);
        compare_sooner(&c);
    }
    const bool made = in && left;
    free(in);
    free(left);
    return made;
}
