/* clock.c: a launch in timed order.
 *
 * Each multiprocessor holds as many blocks as its limits allow. Each of its schedulers issues one instruction of one of its warps at
 * a time. A warp issues in order: an instruction waits until the registers it names are ready. Among warps that could issue,
 * those of the oldest block go first, in turn.
 *
 * Multiprocessors meet only in memory and where blocks are handed out. So each runs by itself until it is about to do something
 * that all can see, and always the one goes on whose next such thing comes first (mp_run, run). The order of these is the
 * order of time; ties go to the lower number. Within a warp, what touches registers only is performed ahead of its time
 * (look_ahead), in one go; its steps are then issued one by one. In large launches plain loads and stores are too (ahead.h).
 *
 * On cards with caches nobody hears from the L2 within its latency. So all run up to a horizon that is no further away than that, whatever the others
 * do; what they ask of the L2 has no answer yet, and registers that wait for one hold UNKNOWN and a number. At the horizon all is answered in the order of
 * time (ask.c), and the next window begins. That gives the clocks that asking one by one would give, and a multiprocessor's warps
 * stay in the host's cache for as long as the window lasts.
 *
 * Most of a launch's time goes into issuing what touches registers only: that path is short (issue_plain) and stands apart from
 * the one of instructions that somebody else could see (issue_act).
 */
#include "ahead.h"
#include "sample.h"
#include "../run/host.h"
#include <math.h>
#include <stdlib.h>

static inline timed_warp *warp_at(const timed *x, const scheduler *c, uint32_t bit) { return (timed_warp *)(void *)(c->warps + bit * x->stride); }

/* Warp k of the block: neighbours go to different schedulers. */
static inline timed_warp *warp_of(const timed *x, const multiprocessor *m, const timed_block *b, uint32_t k)
{
    const uint32_t n = b->index * x->l->warps + k;
    return warp_at(x, &m->schedulers[n % x->schedulers], n / x->schedulers);
}

/* ---- one warp ---- */

/* The instruction at `in` and those that are performed together with it: where the warp goes on. */
static const insn *perform(const timed *x, warp *w, const insn *in)
{
    const insn *next = in->fn(w, in);
    for (int more = x->p.length[in - x->l->code->insns] - 1; more > 0 && next == ++in; more--) next = next->fn(w, next); /* also behind a guard that let all lanes through */
    return next;
}

/* The same ahead of its time; what it accesses is noted at *end. */
static const insn *perform_ahead(timed *x, warp *w, const insn *in, stretch *s, char **end)
{
    seen_accesses *seen = x->k->seen;
    const insn *insns = x->l->code->insns;
    seen->count = 0;
    const insn *next = perform(x, w, in);
    for (int i = 0; i < seen->count; i++) *end = ahead_note(*end, &seen->list[i], (uint32_t)(seen->list[i].in - insns));
    s->accesses = (uint8_t)seen->count;
    s->performed = true;
    seen->count = SEEN_MOST; /* what touches registers only is not noted */
    return next;
}

/* Perform what nobody can tell of, and find the stretches that come next: one, or as many as may be performed together. False: the warp has
 * nothing to do, or the launch failed. */
static bool look_ahead(timed *x, timed_warp *v)
{
    warp *w = v->w;
    const code_module *m = x->l->code;
    const program *p = &x->p;
    v->found = v->found_end = v->ahead;
    while (v->found_end == v->ahead || (x->ahead && ahead_has_room(v->ahead, v->found_end))) {
        if (!v->in) {
            if (!warp_take_turn(w)) {
                if (v->found_end != v->ahead) return true;
                v->state = w->split_high ? WARP_WAITS : WARP_DONE;
                return false;
            }
            v->in = w->splits[w->current].ip;
        }
        const uint32_t from = (uint32_t)(v->in - m->insns), to = p->stop[from];
        const insn *in = v->in, *stop = m->insns + to, *last = in;
        while (in && in < stop) {
            last = in;
            in = in->fn(w, in);
        }
        stretch *s = (stretch *)(void *)v->found_end;
        char *end = v->found_end + sizeof *s;
        bool waits = false;
        *s = (stretch){.from = p->first[from]};
        if (!in) {
            s->to = s->act = p->first[last - m->insns];
        } else if (p->act[to] == ACT_LEAVE) {
            in = stop->fn(w, stop);
            const uint32_t over = p->over[to];
            const bool all_jump = over && in && in != stop + 1 && in != w->join_pc;
            s->to = s->act = all_jump ? p->first[over] : p->first[to + p->length[to]];
        } else {
            s->act = p->first[to];
            s->to = p->first[to + p->length[to]];
            s->all = p->act[to] == ACT_GLOBAL;
            waits = !x->ahead || !p->plain[to];
            if (!waits) in = perform_ahead(x, w, in, s, &end);
        }
        if (s->from != s->to) v->found_end = end;
        v->in = in;
        if (waits) return true;
        if (in) continue;
        if (w->stop == STOP_FAULT) {
            x->failed = true;
            return false;
        }
        warp_turn_over(w);
    }
    return true;
}

/* The warp has no step left: the next stretch. False: as look_ahead. */
static bool next_stretch(timed *x, timed_warp *v)
{
    if (v->found == v->found_end && !look_ahead(x, v)) return false;
    const stretch *s = (const stretch *)(void *)v->found;
    v->found += sizeof *s;
    v->at = x->p.steps + s->from;
    v->end = x->p.steps + s->to;
    v->act = x->p.steps + s->act; /* the end: never issued */
    v->all = s->all && !(s->performed && x->window); /* what it takes is asked for, then, and told in order */
    v->performed = s->performed;
    v->accesses = s->accesses;
    return true;
}

/* The warp's next step is known: when can it issue? */
static inline void await(timed_warp *v)
{
    const step *s = v->at;
    const key *reg = v->reg;
    key at = latest(latest(latest(reg[s->need[0]], reg[s->need[1]]), latest(reg[s->need[2]], reg[s->need[3]])), v->floor);
    for (int i = 0; i < s->more; i++) at = latest(at, reg[s->needs[i]]);
    v->why = at;
    v->ready = key_clock(at) > v->free ? key_clock(at) : v->free;
}

/* The warp's next step, wherever it is, and when it can issue. False: there is none now. */
static bool settle(timed *x, timed_block *b, timed_warp *v)
{
    bool was_ready = v->state == WARP_READY;
    v->state = WARP_READY;
    for (;; v->at++) {
        if (v->at == v->end && !next_stretch(x, v)) break;
        const step *s = v->at;
        if (!s->free || s == v->act) break;
        key from = 0; /* its result is there as soon as what it is made of */
        for (int i = 0; i < s->sources; i++) from = latest(from, v->reg[s->source[i]]);
        for (int i = 0; i < s->targets; i++) v->reg[s->target[i]] = from;
    }
    b->ready += (v->state == WARP_READY) - was_ready;
    b->done += v->state == WARP_DONE;
    if (v->state != WARP_READY || x->failed) return false;
    await(v);
    return true;
}

/* Into its queue, if it is known when it is ready. */
static inline void put(scheduler *c, const timed_warp *v)
{
    if (v->ready < key_clock(UNKNOWN)) queue_put(&c->queue, v->bit, v->ready);
}

/* The same of a warp that has not just issued; puts it in its queue. */
static void settle_in(timed *x, multiprocessor *m, timed_block *b, timed_warp *v)
{
    if (settle(x, b, v)) put(&m->schedulers[v->sched], v);
}

/* A scheduler's next issue, as far as is known now. */
static inline void look(scheduler *c)
{
    const clocks at = c->free > c->now ? c->free : c->now;
    queue_advance(&c->queue, at);
    c->next = queue_next(&c->queue, at);
}

/* When the multiprocessor will do something, as far as is known now. */
static clocks first_event(const timed *x, const multiprocessor *m)
{
    clocks first = m->starts ? m->start_at : INT64_MAX;
    for (uint32_t s = 0; s < x->schedulers; s++)
        if (m->schedulers[s].next < first) first = m->schedulers[s].next;
    return first;
}

/* Warps that another one of the block has set free. */
static void wake(timed *x, multiprocessor *m, timed_block *b, key floor)
{
    for (uint32_t k = 0; k < x->l->warps; k++) {
        timed_warp *v = warp_of(x, m, b, k);
        if (v->state != WARP_WAITS || !warp_ready(v->w)) continue;
        v->floor = floor;
        settle_in(x, m, b, v);
    }
}

/* ---- blocks ---- */

static bool make_block(timed *x, multiprocessor *m, timed_block *b)
{
    b->index = (uint32_t)(b - m->blocks);
    b->b = block_new(x->k);
    for (uint32_t k = 0; b->b && k < x->l->warps; k++) {
        const uint32_t n = b->index * x->l->warps + k;
        timed_warp *v = warp_of(x, m, b, k);
        v->of = b;
        v->sched = (uint8_t)(n % x->schedulers);
        v->bit = (uint8_t)(n / x->schedulers);
    }
    return b->b;
}

/* Its warps are under the clock from here on. */
static void time_block(timed *x, multiprocessor *m, timed_block *b)
{
    b->ready = b->done = 0;
    for (uint32_t k = 0; k < x->l->warps && !x->failed; k++) {
        timed_warp *v = warp_of(x, m, b, k);
        v->w->watch |= WATCH_TIME;
        v->w->stepped = true;
        v->in = NULL;
        v->at = v->end = v->act = x->p.steps;
        v->found = v->found_end = v->ahead;
        v->state = WARP_WAITS;
        settle_in(x, m, b, v);
    }
}

static bool start_block(timed *x, multiprocessor *m, clocks now)
{
    launch *l = x->l;
    timed_block *b = &m->blocks[m->order[m->count]];
    if ((!b->b && !make_block(x, m, b)) || !block_start(b->b, sample_next(l->sample, x->begun++))) {
        x->out_of_memory = true;
        return false;
    }
    ticks ask = now * TICKS, at = ask > x->dispatcher ? ask : x->dispatcher;
    clocks begin = (at + TICKS - 1) / TICKS;
    x->dispatcher = at + x->block_start;
    for (uint32_t s = 0; s < x->schedulers; s++) m->schedulers[s].shares[m->count] = (share_of_block){0};
    for (uint32_t k = 0; k < l->warps; k++) {
        timed_warp *v = warp_of(x, m, b, k);
        m->schedulers[v->sched].shares[m->count].warps |= UINT64_C(1) << v->bit;
        memset(v->reg, 0, sizeof(key) * x->p.registers);
    }
    b->begin = begin;
    x->blocks = sample_begins(l->sample, x->begun, begin);
    if (!m->count++) m->busy_since = begin;
    l->now = (uint64_t)begin;
    for (uint32_t k = 0; k < l->warps; k++) {
        timed_warp *v = warp_of(x, m, b, k);
        v->w = &b->b->warps[k];
        v->free = begin;
        v->floor = 0;
        v->was[0] = v->was[1] = 0;
    }
    time_block(x, m, b);
    for (uint32_t s = 0; s < x->schedulers; s++) look(&m->schedulers[s]);
    return !x->failed;
}

/* It has ended, or is not timed any more. */
static void leave_block(timed *x, multiprocessor *m, timed_block *b, clocks now)
{
    uint32_t slot = (uint32_t)(b - m->blocks), i = 0;
    while (m->order[i] != slot) i++;
    for (; i + 1 < m->count; i++) {
        m->order[i] = m->order[i + 1];
        for (uint32_t s = 0; s < x->schedulers; s++) m->schedulers[s].shares[i] = m->schedulers[s].shares[i + 1];
    }
    m->order[--m->count] = slot;
    x->resident += (uint64_t)(now - b->begin) * x->l->warps;
    if (!m->count) x->busy += (uint64_t)(now - m->busy_since);
    if (!m->starts++) m->start_at = now;
}

static void end_block(timed *x, multiprocessor *m, timed_block *b, clocks now)
{
    block_finish(b->b);
    leave_block(x, m, b, now);
}

/* ---- issuing ---- */

/* A warp waits or has ended, or others wait no longer. */
static void after_stop(timed *x, multiprocessor *m, timed_block *b, clocks now)
{
    if (b->done == x->l->warps) {
        end_block(x, m, b, now);
    } else if (!b->ready) { /* lanes that wait for others only to end together */
        for (uint32_t k = 0; k < x->l->warps; k++) warp_let_end(warp_of(x, m, b, k)->w);
        wake(x, m, b, key_of(now, SIM_STALL_BARRIER));
    }
    for (uint32_t i = 0; i < x->schedulers; i++) look(&m->schedulers[i]);
}

/* A wait for memory, parted by what the access was spent for; for lanes that went elsewhere, on the instruction before. */
static void book_parts(timed *x, const timed_warp *v, uint32_t pc, clocks wait)
{
    enum sim_stall cause = (enum sim_stall)(v->why & 15);
    uint64_t *row = x->stalls[cause == SIM_STALL_BARRIER || cause == SIM_STALL_BRANCH ? v->last_pc : pc];
    if (cause == SIM_STALL_MEMORY || cause == SIM_STALL_SHARED) {
        clocks port = wait * (v->why >> 12 & 255) / 255, dram = wait * (v->why >> 4 & 255) / 255;
        row[cause == SIM_STALL_MEMORY ? SIM_STALL_PORT : SIM_STALL_CONFLICT] += (uint64_t)port;
        row[SIM_STALL_DRAM] += (uint64_t)dram;
        wait -= port + dram;
    }
    row[cause] += (uint64_t)wait;
}

/* A wait for a register or for other lanes. */
static inline void book_wait(timed *x, const timed_warp *v, uint32_t pc, clocks wait)
{
    const unsigned plain = 1u << SIM_STALL_ARITHMETIC | 1u << SIM_STALL_ISSUE | 1u << SIM_STALL_SLOT;
    if (plain >> (v->why & 15) & 1) x->stalls[pc][v->why & 15] += (uint64_t)wait;
    else book_parts(x, v, pc, wait);
}

/* A step of the warp has issued: what that costs everybody. All is read before anything is written: a compiler cannot know that they are different things. */
static inline void pass(timed *x, scheduler *c, timed_warp *v, clocks now, key done, clocks extra)
{
    step *s = v->at;
    const uint32_t pc = s->pc;
    const clocks ready = v->ready, wait = ready - v->free, at = now + extra, next = at + s->next, slot = at + s->slot, busy = at + s->busy;
    const key floor = s->branch ? done : 0;
    clocks *unit_free = &c->unit_free[s->unit];
    key *reg = v->reg, *into = &reg[s->into[0]], *also = &reg[s->into[1]];
    const int targets = s->targets;
    if (wait) book_wait(x, v, pc, wait);
    s->issued++;
    s->waited += (uint64_t)(now - ready);
    v->at = s + 1;
    v->floor = floor;
    v->free = next;
    v->last_pc = pc;
    c->free = slot;
    *unit_free = busy;
    *into = *also = done;
    for (int i = 2; i < targets; i++) reg[s->target[i]] = done;
}

static clocks whole(ticks t) { return (t + TICKS - 1) / TICKS; }

/* In 255ths. Both are small enough for the quotient of doubles to be that of the whole numbers. */
static key share_of(ticks part, ticks all) { return part ? (key)((double)(part * 255) / (double)all) : 0; }

/* Where its local memory lies: that of the place in which its block is. */
static uint64_t local_of(const timed *x, const multiprocessor *m, const timed_warp *v)
{
    const uint64_t place = ((uint64_t)m->index * x->per_mp + v->of->index) * x->l->warps + v->w->index;
    return TIME_LOCAL + place * 32 * ((v->w->local_stride + 3) & ~UINT64_C(3));
}

/* When what an access brings is there, and what it was spent for. */
static key key_of_access(timed *x, const step *s, bool shared, const time_access *r, clocks now)
{
    clocks at = whole(r->done);
    const ticks took = r->done - now * TICKS;
    if (at > x->end) x->end = at;
    if (s->folded) at -= clocks_of(x->t->shared_latency) - s->latency;
    key k = key_of(at, shared ? SIM_STALL_SHARED : SIM_STALL_MEMORY);
    return took > 0 ? k | share_of(r->port, took) << 12 | share_of(r->dram, took) << 4 : k;
}

/* The next of those who wait for answers. NULL: out of memory. */
static asking *next_asking(timed *x)
{
    if (x->askings == x->asking_room) {
        const uint32_t more = x->asking_room ? 2 * x->asking_room : 1024;
        asking *list = realloc(x->asking, more * sizeof *list);
        if (!list) {
            x->out_of_memory = true;
            return NULL;
        }
        x->asking = list;
        x->asking_room = more;
    }
    return &x->asking[x->askings];
}

/* What the accesses of an instruction issued at `now` take: when its results are there, or UNKNOWN and who will hear of it; *extra clocks more of the
 * scheduler. */
static key time_accesses(timed *x, multiprocessor *m, timed_warp *v, step *s, clocks now, clocks *extra)
{
    key done = s->result + (now << 20);
    uint32_t answers = 0;
    seen_accesses *seen = x->k->seen;
    asking *who = next_asking(x);
    if (!who) return done;
    if (s->joined_bytes && seen->count) {
        access *a = &seen->list[0];
        uint64_t low = ~(uint64_t)(s->joined_bytes - 1);
        for (int l = 0; l < 32; l++) a->address[l] &= low;
        a->size = s->joined_bytes;
        a->passes = 0;
        seen->count = 1;
    }
    for (int i = 0; i < seen->count; i++) {
        const access *a = &seen->list[i];
        time_access r;
        answers += time_ask(x->memory, m->index, a, a->space == SPACE_LOCAL ? local_of(x, m, v) : 0, now * TICKS, x->askings, &r);
        *extra += whole(r.extra_issue);
        done = latest(done, key_of_access(x, s, a->space == SPACE_SHARED, &r, now));
    }
    if (!answers) return done;
    *who = (asking){.v = v, .m = m, .s = s, .now = now, .done = done, .left = answers};
    return UNKNOWN + x->askings++;
}

/* What it waited for will be there: that stands where its number stood. */
static void hear(timed *x, const asking *q, key name)
{
    timed_warp *v = q->v;
    for (uint32_t i = 0; i < x->p.registers; i++) v->reg[i] = v->reg[i] == name ? q->done : v->reg[i];
    if (v->state != WARP_READY || v->ready < key_clock(UNKNOWN)) return;
    await(v);
    put(&q->m->schedulers[v->sched], v);
}

/* All answers to what was asked so far. False: nothing was. */
static bool hear_all(timed *x)
{
    uint32_t count;
    const time_answer *a = time_answers(x->memory, &count);
    x->out_of_memory |= !a;
    for (uint32_t i = 0; i < count; i++) {
        asking *q = &x->asking[a[i].who];
        q->done = latest(q->done, key_of_access(x, q->s, false, &a[i].r, q->now));
        if (!--q->left) hear(x, q, UNKNOWN + a[i].who);
    }
    x->askings = 0;
    for (uint32_t i = 0; i < x->used && count; i++) {
        multiprocessor *m = x->mps[i].count ? &x->mps[i] : NULL;
        if (!m) continue;
        for (uint32_t s = 0; s < x->schedulers; s++) look(&m->schedulers[s]);
        m->event = first_event(x, m);
    }
    return count;
}

/* The warp that has just issued is ready later. True: it is the next one of its multiprocessor to issue, before `rivals` could, and
 * has not been put into its queue. */
static inline bool goes_on(scheduler *c, timed_warp *v, clocks rivals)
{
    queue_advance(&c->queue, c->free);
    const clocks others = queue_next(&c->queue, c->free), unit = c->unit_free[v->at->unit], at = v->ready > c->free ? v->ready : c->free, issue = at > unit ? at : unit;
    if (issue < others && issue < rivals) {
        c->next = issue;
        return true;
    }
    put(c, v);
    c->next = at < others ? at : others;
    return false;
}

/* An instruction that touches registers only, and that has been performed. True: as goes_on. */
static inline bool issue_plain(timed *x, multiprocessor *m, scheduler *c, timed_warp *v, clocks now, clocks rivals)
{
    if (v->at->port) time_no_lane(x->memory, m->index, now * TICKS); /* else it would be an act */
    pass(x, c, v, now, v->at->result + (now << 20), 0);
    if (v->at != v->end && (!v->at->free || v->at == v->act)) {
        await(v);
        return goes_on(c, v, rivals);
    }
    if (settle(x, v->of, v)) return goes_on(c, v, rivals);
    if (!x->failed) after_stop(x, m, v->of, c->free);
    return false;
}

/* One that others can see: it is performed now, or its accesses were noted when it was. */
static bool issue_act(timed *x, multiprocessor *m, scheduler *c, timed_warp *v, clocks now, clocks rivals)
{
    timed_block *b = v->of;
    step *s = v->at;
    warp *w = v->w;
    key done = s->result + (now << 20);
    clocks extra = 0;
    uint64_t met = x->k->barriers_met;
    x->k->seen->count = 0;
    bool over = false; /* of what it does: another split goes on */
    if (v->performed) {
        for (int i = 0; i < v->accesses; i++) v->found = ahead_read(v->found, &x->k->seen->list[i], x->l->code->insns);
        x->k->seen->count = v->accesses;
    } else {
        x->l->now = (uint64_t)now;
        v->in = perform(x, w, v->in);
        over = !v->in;
        if (over && w->stop == STOP_FAULT) {
            x->failed = true;
            return false;
        }
    }
    v->act = v->end;
    const bool loops = x->k->seen->count && x->k->seen->list[0].rounds; /* what follows waits for the end of it */
    if (x->k->seen->count) done = time_accesses(x, m, v, s, now, &extra);
    x->k->seen->count = SEEN_MOST; /* what is looked ahead at is not noted */
    x->stalls[s->pc][SIM_STALL_CONFLICT] += (uint64_t)extra;
    x->extra += (uint64_t)extra;
    pass(x, c, v, now, done, extra);
    if (loops) v->floor = done;
    if (over) warp_turn_over(w);
    const bool ready = settle(x, b, v), others = x->k->barriers_met != met;
    if (x->failed) return false;
    if (ready && !others) return goes_on(c, v, rivals);
    if (ready) put(c, v);
    if (others) wake(x, m, b, key_of(now + clocks_of(x->t->barrier_latency), SIM_STALL_BARRIER));
    after_stop(x, m, b, c->free);
    return false;
}

/* The order of what all can see: by time, then by multiprocessor. */
static bool before(const multiprocessor *a, clocks at, const multiprocessor *b) { return at < b->event || (at == b->event && a->index < b->index); }

/* The warp's next instruction is one that all can see, and another multiprocessor comes first. */
static inline bool must_wait(const multiprocessor *m, const timed_warp *v, const multiprocessor *other)
{
    return v->at == v->act && v->all && other && !before(m, m->event, other);
}

/* Go on until something is to be done that all can see, and another multiprocessor comes first (`other`, may be NULL). */
static void mp_run(timed *x, multiprocessor *m, const multiprocessor *other)
{
    while (!x->failed && !x->out_of_memory) {
        scheduler *c = m->schedulers;
        clocks rivals = x->horizon; /* when something else than a warp of this scheduler comes */
        for (uint32_t i = 1; i < x->schedulers; i++) {
            scheduler *d = &m->schedulers[i];
            if (d->next < c->next) {
                if (c->next < rivals) rivals = c->next;
                c = d;
            } else if (d->next < rivals) {
                rivals = d->next;
            }
        }
        clocks now = m->event = c->next;
        if (m->starts && m->start_at < x->horizon) {
            if (m->start_at <= now) {
                m->event = m->start_at;
                if (other && !before(m, m->event, other)) return;
                for (; m->starts; m->starts--)
                    if (x->begun < x->blocks && !start_block(x, m, m->start_at)) return;
                continue;
            }
            if (m->start_at < rivals) rivals = m->start_at;
        }
        if (now >= x->horizon) {
            if (m->starts && m->start_at < now) m->event = m->start_at;
            return;
        }
        c->now = now;
        queue_advance(&c->queue, now);
        share_of_block *turns = c->shares;
        const uint64_t ready = c->queue.ready;
        if (!ready) { /* later than the queue could say */
            look(c);
            continue;
        }
        while (!(ready & turns->warps)) turns++; /* of the warps that can issue now: the oldest block's, in turn */
        uint64_t mine = ready & turns->warps, later = mine >> turns->turn << turns->turn;
        int bit = queue_low_bit(later ? later : mine);
        timed_warp *v = warp_at(x, c, (uint32_t)bit);
        clocks unit = c->unit_free[v->at->unit];
        if (unit > now) {
            queue_take(&c->queue, bit);
            queue_put(&c->queue, bit, unit);
            look(c);
            continue;
        }
        if (must_wait(m, v, other)) return;
        queue_take(&c->queue, bit);
        turns->turn = (uint32_t)(bit + 1) & 63;
        bool again = true;
        while (again) {
            again = v->at == v->act ? issue_act(x, m, c, v, now, rivals) : issue_plain(x, m, c, v, now, rivals);
            if (again) now = m->event = c->next;
            bool stop = false;
            if (!(++x->issued & 4095)) {
                x->k->executed += 4096;
                stop = launch_should_stop(x->l, x->k);
                stop |= x->parted = x->issued >= x->l->sample->mark;
            }
            if (again && (stop || must_wait(m, v, other))) {
                queue_put(&c->queue, v->bit, now);
                stop = true;
            }
            if (stop) return;
        }
    }
}

/* ---- the launch ---- */

static void sift_down(timed *x, uint32_t i)
{
    for (;;) {
        uint32_t least = i, l = 2 * i + 1, r = l + 1;
        if (l < x->used && before(x->heap[l], x->heap[l]->event, x->heap[least])) least = l;
        if (r < x->used && before(x->heap[r], x->heap[r]->event, x->heap[least])) least = r;
        if (least == i) return;
        multiprocessor *m = x->heap[i];
        x->heap[i] = x->heap[least];
        x->heap[least] = m;
        i = least;
    }
}

static void heap_make(timed *x)
{
    for (uint32_t i = 0; i < x->used; i++) x->heap[i] = &x->mps[i];
    for (uint32_t i = x->used; i-- > 0;) sift_down(x, i);
}

static multiprocessor *second(const timed *x)
{
    if (x->used < 2) return NULL;
    return x->used > 2 && before(x->heap[2], x->heap[2]->event, x->heap[1]) ? x->heap[2] : x->heap[1];
}

#include "parts.h" /* needs what stands above */

/* Where the kernel was when it was stopped. */
static void say_where(timed *x, int stop)
{
    if (stop != LAUNCH_ENDLESS && stop != LAUNCH_TIMEOUT) return;
    for (uint32_t i = 0; i < x->mp_count; i++)
        if (x->mps[i].count) {
            block_endless(x->mps[i].blocks[x->mps[i].order[0]].b);
            break;
        }
    atomic_store(&x->l->stop, stop); /* the fault says where; why the launch ended stays */
}

/* All have come to the end of the window: the next one. False: nobody has anything to do any more. */
static bool next_window(timed *x)
{
    const bool heard = hear_all(x);
    if (x->failed || x->out_of_memory) return false;
    heap_make(x);
    if (x->parted) part_over(x, x->horizon);
    if (!heard && x->heap[0]->event == INT64_MAX) return false;
    x->horizon = x->heap[0]->event == INT64_MAX ? INT64_MAX : x->heap[0]->event + x->window;
    return true;
}

static void run(timed *x)
{
    launch *l = x->l;
    x->window = time_window(x->memory);
    x->horizon = x->window ? 0 : INT64_MAX;
    for (uint64_t n = 0; x->begun < x->blocks && n < (uint64_t)x->mp_count * x->per_mp; n++) {
        if (!start_block(x, &x->mps[n % x->mp_count], 0)) return;
        if (x->used < x->mp_count) x->used++;
    }
    for (uint32_t i = 0; i < x->used; i++) x->mps[i].event = x->window ? first_event(x, &x->mps[i]) : 0;
    heap_make(x);
    while (!x->failed && !x->out_of_memory) {
        multiprocessor *m = x->heap[0];
        if (m->event >= x->horizon) {
            if (next_window(x)) continue;
            for (uint32_t i = 0; i < x->used && !x->failed && !x->out_of_memory; i++)
                if (x->mps[i].count) {
                    block_deadlock(x->mps[i].blocks[x->mps[i].order[0]].b);
                    x->failed = true;
                }
            return;
        }
        mp_run(x, m, second(x));
        if (x->parted && !x->window) part_over(x, m->event);
        sift_down(x, 0);
        if (l->stop) {
            if (!x->failed) say_where(x, l->stop);
            return;
        }
    }
}

/* Memory for all places of warps, in few pages. */
static char *make_places(const timed *x)
{
    const size_t bytes = (size_t)x->mp_count * x->bits * x->schedulers * (x->stride + AHEAD_ROOM), align = bytes < HOST_LARGE_PAGE ? 64 : HOST_LARGE_PAGE;
    char *places = aligned_alloc(align, (bytes / align + 1) * align);
    host_large_pages(places, bytes);
    return places;
}

static bool make_multiprocessor(timed *x, multiprocessor *m)
{
    uint32_t n = x->schedulers;
    m->schedulers = calloc(n, sizeof *m->schedulers);
    m->blocks = calloc(x->per_mp, sizeof *m->blocks);
    m->order = calloc(x->per_mp, sizeof *m->order);
    if (!m->schedulers || !m->blocks || !m->order) return false;
    share_of_block *shares = calloc((size_t)n * x->per_mp, sizeof *shares);
    m->schedulers[0].shares = shares;
    m->schedulers[0].warps = x->places + m->index * (size_t)x->bits * n * (x->stride + AHEAD_ROOM);
    m->ahead = m->schedulers[0].warps + x->bits * n * x->stride;
    if (!shares) return false;
    memset(m->schedulers[0].warps, 0, x->bits * n * x->stride);
    for (uint32_t i = 0; i < n; i++) {
        m->schedulers[i].warps = m->schedulers[0].warps + i * x->bits * x->stride;
        m->schedulers[i].shares = shares + (size_t)i * x->per_mp;
        for (uint32_t k = 0; k < x->bits; k++) warp_at(x, &m->schedulers[i], k)->ahead = m->ahead + (i * x->bits + k) * (size_t)AHEAD_ROOM;
        queue_init(&m->schedulers[i].queue, x->bits);
        m->schedulers[i].next = INT64_MAX;
    }
    for (uint32_t i = 0; i < x->per_mp; i++) m->order[i] = i;
    return true;
}

static void free_multiprocessor(const timed *x, multiprocessor *m)
{
    for (uint32_t i = 0; m->blocks && i < x->per_mp; i++) block_free(m->blocks[i].b);
    if (m->schedulers) free(m->schedulers[0].shares);
    free(m->schedulers);
    free(m->blocks);
    free(m->order);
}

int SIM_NAME(time_run)(launch *l, worker *k)
{
    const sim_card *card = &l->s->card;
    const sample_plan *plan = &l->sample->plan;
    timed x = {.l = l, .k = k, .t = &card->timing, .mp_count = plan->mps, .per_mp = l->sample->per_mp, .blocks = plan->count, .ahead = l->sample->ahead};
    seen_accesses seen = {.count = SEEN_MOST};
    bool made = program_make(&x.p, l->code, l->s);
    x.schedulers = x.t->schedulers > 0 ? (uint32_t)x.t->schedulers : 1;
    x.bits = (x.per_mp * l->warps + x.schedulers - 1) / x.schedulers;
    x.stride = (sizeof(timed_warp) + sizeof(key) * x.p.registers + 63) & ~(size_t)63;
    x.block_start = ticks_of(x.t->block_start * plan->of / plan->mps);
    x.mps = calloc(x.mp_count, sizeof *x.mps);
    x.heap = calloc(x.mp_count, sizeof *x.heap);
    const bool few = l->blocks <= plan->filling; /* the first multiprocessors may have a block more than the others */
    x.memory = time_memory_open(l, plan->mps, few ? (uint32_t)plan->first : plan->mps, few ? (uint32_t)(l->blocks - plan->first) : plan->of - plan->mps,
                                (uint64_t)x.per_mp * (l->shared_used + (uint64_t)card->shared_reserved));
    x.stalls = calloc((size_t)l->code->count + 1, sizeof *x.stalls);
    x.places = make_places(&x);
    made = made && x.mps && x.heap && x.memory && x.stalls && x.places;
    for (uint32_t i = 0; made && i < x.mp_count; i++) {
        x.mps[i].index = i;
        made = make_multiprocessor(&x, &x.mps[i]);
    }
    k->seen = &seen;
    if (made) run(&x);
    k->seen = NULL;
    k->stalls = x.stalls; /* freed with the worker */
    if (made) clock_report(&x);
    for (uint32_t i = 0; x.mps && i < x.mp_count; i++) free_multiprocessor(&x, &x.mps[i]);
    free(x.mps);
    free(x.heap);
    free(x.asking);
    free(x.places);
    program_free(&x.p);
    time_memory_close(x.memory);
    return !made || x.out_of_memory ? SIM_E_MEMORY : SIM_OK;
}
