/* clock.c: a launch in timed order.
 *
 * Each multiprocessor holds as many blocks as its limits allow and issues one instruction of one warp at a time. A warp issues in
 * order: its next instruction waits until the registers it names are ready. Always the multiprocessor whose next issue comes
 * first takes one step, so memory, atomics and waiting unfold in the order of time. The instruction itself is performed
 * by the same functions as everywhere (exec/); here is only decided when, and what it costs (cost.c, memory.c).
 *
 * Among warps that could issue, those of the oldest block go first, in turn.
 */
#include "time.h"
#include <stdlib.h>

enum warp_state { WARP_READY, WARP_WAITS, WARP_DONE };

typedef struct timed_warp {
    warp *w;
    const insn *at; /* its next instruction; NULL: a split has to be picked */
    ticks ready;    /* when that can issue */
    ticks *reg;     /* when each register is ready */
    enum warp_state state;
} timed_warp;

typedef struct timed_block {
    block *b;
    timed_warp *warps;
    uint32_t turn, live;
    uint64_t order; /* age */
} timed_block;

typedef struct multiprocessor {
    timed_block *blocks;
    uint32_t count;
    ticks issue_free, next; /* next: when it can issue again; INT64_MAX: never */
    uint32_t block, warp;   /* who issues then */
} multiprocessor;

typedef struct timed {
    launch *l;
    worker *k;
    const sim_timing *t;
    cost *costs;
    uint32_t registers, per_mp, warps;
    multiprocessor *mps;
    uint32_t mp_count, used; /* the first `used` have had a block */
    time_memory_state *memory;
    ticks dispatcher, end; /* when the next block may start; when everything so far is over */
    bool failed, out_of_memory;
} timed;

/* Move to the next instruction that costs something, performing the bookkeeping before it. */
static void settle(timed *x, timed_warp *v)
{
    warp *w = v->w;
    const code_info *info = x->l->code->info;
    const insn *code = x->l->code->insns;
    for (;;) {
        if (!v->at) {
            if (!warp_take_turn(w)) {
                v->state = w->split_high ? WARP_WAITS : WARP_DONE;
                return;
            }
            v->at = w->splits[w->current].ip;
        }
        uint32_t pc = (uint32_t)(v->at - code);
        if (info[pc].real || (pc + 1 < x->l->code->count && info[pc + 1].guarded)) break;
        const insn *next = v->at->fn(w, v->at);
        if (!next && w->stop == STOP_FAULT) {
            x->failed = true;
            return;
        }
        if (!next) warp_turn_over(w);
        v->at = next;
    }
    v->state = WARP_READY;
    const cost *c = &x->costs[v->at - code];
    ticks ready = v->ready;
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < c->sources; i++)
            if (v->reg[c->source[i]] > ready) ready = v->reg[c->source[i]];
        for (int i = 0; i < c->targets; i++)
            if (v->reg[c->target[i]] > ready) ready = v->reg[c->target[i]];
        if (info[v->at - code].real) break;
        c++; /* a guard and what it guards issue as one */
    }
    v->ready = ready;
}

static void choose(multiprocessor *m)
{
    ticks first = INT64_MAX;
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t k = 0; k < m->blocks[i].live; k++) {
            const timed_warp *v = &m->blocks[i].warps[k];
            if (v->state == WARP_READY && v->ready < first) first = v->ready;
        }
    if (first == INT64_MAX) {
        m->next = INT64_MAX;
        return;
    }
    m->next = first > m->issue_free ? first : m->issue_free;
    for (uint32_t i = 0; i < m->count; i++) {
        timed_block *b = &m->blocks[i];
        for (uint32_t n = 0; n < b->live; n++) {
            uint32_t k = (b->turn + n) % b->live;
            if (b->warps[k].state != WARP_READY || b->warps[k].ready > m->next) continue;
            m->block = i;
            m->warp = k;
            return;
        }
    }
}

static bool start_block(timed *x, multiprocessor *m, ticks now)
{
    launch *l = x->l;
    timed_block *b = &m->blocks[m->count];
    if (!b->b) {
        b->b = block_new(x->k);
        b->warps = calloc(l->warps, sizeof *b->warps);
        ticks *reg = calloc((size_t)l->warps * x->registers, sizeof *reg);
        if (!b->b || !b->warps || !reg) {
            free(reg);
            x->out_of_memory = true;
            return false;
        }
        for (uint32_t k = 0; k < l->warps; k++) b->warps[k].reg = reg + (size_t)k * x->registers;
    }
    if (!block_start(b->b, l->next++)) {
        x->out_of_memory = true;
        return false;
    }
    ticks begin = now > x->dispatcher ? now : x->dispatcher;
    x->dispatcher = begin + ticks_of(x->t->block_start);
    b->order = l->next;
    b->turn = 0;
    b->live = l->warps;
    memset(b->warps[0].reg, 0, sizeof(ticks) * x->registers * l->warps);
    for (uint32_t k = 0; k < l->warps; k++) {
        timed_warp *v = &b->warps[k];
        v->w = &b->b->warps[k];
        v->w->watch |= WATCH_TIME;
        v->at = NULL;
        v->ready = begin;
        l->now = begin / TICKS;
        settle(x, v);
    }
    m->count++;
    return true;
}

/* Warps that another one of the block has set free. */
static void wake(timed *x, timed_block *b, ticks now)
{
    for (uint32_t k = 0; k < b->live; k++) {
        timed_warp *v = &b->warps[k];
        if (v->state != WARP_WAITS || !warp_ready(v->w)) continue;
        if (v->ready < now) v->ready = now;
        settle(x, v);
    }
}

static bool ended(const timed_block *b)
{
    for (uint32_t k = 0; k < b->live; k++)
        if (b->warps[k].state != WARP_DONE) return false;
    return true;
}

static void step(timed *x, multiprocessor *m)
{
    timed_block *b = &m->blocks[m->block];
    timed_warp *v = &b->warps[m->warp];
    warp *w = v->w;
    const code_module *code = x->l->code;
    ticks now = m->next;
    const insn *at = v->at;
    const code_info *info = &code->info[at - code->insns];
    const cost *c = &x->costs[at - code->insns];
    if (!info->real) c++;
    x->l->now = now / TICKS;
    x->k->seen->mask = 0;
    const insn *next = at->fn(w, at);
    if (next == at + 1 && !info->real) next = next->fn(w, next); /* a guard that let all lanes through */
    bool stopped = !next;
    if (stopped && w->stop == STOP_FAULT) {
        x->failed = true;
        return;
    }
    ticks issue = c->issue, done = now + c->issue + c->latency;
    if (c->memory && x->k->seen->mask) {
        time_access a = time_memory(x->memory, (uint32_t)(m - x->mps), x->k->seen, now);
        issue += a.extra_issue;
        done = a.done;
        if (done > x->end) x->end = done;
    }
    ticks free = now + issue;
    if (c->second_issue) {
        free = now + issue + c->latency; /* the warp waits; the unit does not */
        done = free + c->second_issue + c->second_latency;
        free += c->second_issue;
        issue += c->second_issue;
    }
    m->issue_free = now + issue;
    v->ready = c->branch ? now + issue + c->latency : free;
    for (int i = 0; i < c->targets; i++) v->reg[c->target[i]] = done;
    if (free > x->end) x->end = free;
    b->turn = (m->warp + 1) % b->live;
    if (stopped) warp_turn_over(w);
    v->at = next;
    settle(x, v);
    if (stopped) wake(x, b, now + issue + ticks_of(x->t->barrier_latency));
    if (v->state == WARP_DONE && ended(b)) {
        block_finish(b->b);
        timed_block done_block = *b;
        for (uint32_t i = m->block; i + 1 < m->count; i++) m->blocks[i] = m->blocks[i + 1];
        m->blocks[--m->count] = done_block;
        if (x->l->next < x->l->blocks) start_block(x, m, now + issue);
    }
}

static int run(timed *x)
{
    launch *l = x->l;
    uint32_t at = 0;
    while (l->next < l->blocks && !x->out_of_memory) {
        multiprocessor *m = &x->mps[at];
        if (m->count == x->per_mp) break;
        if (!start_block(x, m, 0)) break;
        if (at >= x->used) x->used = at + 1;
        at = (at + 1) % x->mp_count;
    }
    for (uint32_t i = 0; i < x->used; i++) choose(&x->mps[i]);
    for (uint64_t n = 0; !x->failed && !x->out_of_memory; n++) {
        multiprocessor *m = &x->mps[0];
        for (uint32_t i = 1; i < x->used; i++)
            if (x->mps[i].next < m->next) m = &x->mps[i];
        if (m->next == INT64_MAX) {
            for (uint32_t i = 0; i < x->mp_count && !x->failed; i++)
                for (uint32_t k = 0; k < x->mps[i].count && !x->failed; k++) {
                    block_deadlock(x->mps[i].blocks[k].b);
                    x->failed = true;
                }
            break;
        }
        step(x, m);
        choose(m);
        x->k->executed++;
        if ((n & 4095) == 4095 && launch_should_stop(l, x->k)) {
            int stop = l->stop;
            if (stop == LAUNCH_ENDLESS || stop == LAUNCH_TIMEOUT) {
                uint32_t i = 0;
                while (i + 1 < x->mp_count && !x->mps[i].count) i++;
                if (x->mps[i].count) block_endless(x->mps[i].blocks[0].b);
                atomic_store(&l->stop, stop); /* the fault says where; why the launch ended stays */
            }
            break;
        }
    }
    l->cycles = (uint64_t)((x->end + TICKS - 1) / TICKS);
    return x->out_of_memory ? SIM_E_MEMORY : SIM_OK;
}

int time_run(launch *l, worker *k)
{
    timed x = {.l = l, .k = k, .t = &l->s->card.timing, .mp_count = (uint32_t)l->s->card.multiprocessors, .per_mp = l->resident / (uint32_t)l->s->card.multiprocessors};
    x.costs = cost_table(l->code, x.t, &x.registers);
    x.mps = calloc(x.mp_count, sizeof *x.mps);
    x.memory = time_memory_open(&l->s->card);
    timed_block *blocks = calloc((size_t)x.mp_count * x.per_mp, sizeof *blocks);
    access seen;
    k->seen = &seen;
    int code = SIM_E_MEMORY;
    if (x.costs && x.mps && x.memory && blocks) {
        for (uint32_t i = 0; i < x.mp_count; i++) x.mps[i].blocks = blocks + (size_t)i * x.per_mp;
        code = run(&x);
    }
    for (size_t i = 0; blocks && i < (size_t)x.mp_count * x.per_mp; i++) {
        block_free(blocks[i].b);
        ticks *reg = blocks[i].warps ? blocks[i].warps[0].reg : NULL;
        free(reg);
        free(blocks[i].warps);
    }
    free(blocks);
    free(x.mps);
    free(x.costs);
    time_memory_close(x.memory);
    return code;
}
