/* skip.h: parts of huge waves that run without the clock.
 *
 * A wave of very many steps is timed in parts (sample.c says when the next ones are known). On
 * cards without caches the warps under way then run untimed, each at its pace, until they are at
 * the same instructions again, and the clock goes on from there (skip_parts). On other cards the
 * blocks under way of the second wave run to their ends, and those of the last wave start in their
 * places (drop_blocks). Part of clock.c, whose functions for blocks and warps it uses.
 */
#ifndef SIM_PARTS_H
#define SIM_PARTS_H

/* that a running block had */
typedef struct place {
    clocks begin;
    multiprocessor *m;
} place;

static int by_begin(const void *left, const void *right)
{
    const place *a = left, *b = right;
    return a->begin != b->begin ? (a->begin > b->begin) - (a->begin < b->begin)
                                : (a->m->index > b->m->index) - (a->m->index < b->m->index);
}

/* It goes on without the clock: its turn ends where it is. */
static void untime(timed_warp *v)
{
    v->w->watch &= (uint8_t)~WATCH_TIME;
    v->w->stepped = false;
    if (!v->in) return;
    v->w->splits[v->w->current].ip = v->in;
    warp_turn_over(v->w);
}

/* The blocks of one multiprocessor go on without the clock, one after the other, to their ends:
 * none waits for another (worker.strong). */
static place *let_go(timed *x, multiprocessor *m, clocks now, place *to)
{
    for (uint32_t i = 0; i < m->count && !x->failed; i++) {
        timed_block *b = &m->blocks[m->order[i]];
        *to++ = (place){b->begin, m};
        for (uint32_t k = 0; k < x->l->warps; k++) untime(warp_of(x, m, b, k));
        enum stop why = STOP_SLICE;
        while (why == STOP_SLICE) why = block_run(b->b);
        if (why == STOP_FAULT) x->failed = true;
    }
    while (m->count) leave_block(x, m, &m->blocks[m->order[0]], now);
    m->starts = 0;
    for (uint32_t s = 0; s < x->schedulers; s++) {
        queue_init(&m->schedulers[s].queue);
        m->schedulers[s].next = INT64_MAX;
    }
    m->event = now;
    return to;
}

/* Instructions of all timed warps. */
static double performed(const course *c)
{
    double n = 0;
    for (uint32_t g = 0; g < c->groups; g++) n += sample_instructions(c->l, c->group[g].k);
    return n;
}

/* The blocks under way of the second wave are timed no further. Those of the last wave start in
 * their places, at the same distances in time. */
static void drop_blocks(course *c)
{
    time_sample *sample = c->l->sample;
    timed *x = c->group;
    const double before = performed(c);
    place *places = calloc((size_t)c->used * x->per_mp, sizeof *places), *end = places;
    clocks now = 0;
    for (uint32_t i = 0; i < c->used; i++)
        for (uint32_t s = 0; s < x->schedulers; s++)
            if (c->mps[i].schedulers[s].free > now) now = c->mps[i].schedulers[s].free;
    x->out_of_memory |= !places;
    for (uint32_t i = 0; i < c->used && places && !broken(c); i++) end = let_go(c->mps[i].group, &c->mps[i], now, end);
    sample->untimed += performed(c) - before;
    if (places) qsort(places, (size_t)(end - places), sizeof *places, by_begin);
    for (const place *p = places; p < end && c->begun < sample->most && !broken(c); p++)
        if (!start_block(p->m->group, p->m, now + p->begin - places->begin)) break;
    if (end > places) sample->cut = (double)(now - places->begin);
    free(places);
}

static uint64_t instructions_of(const timed_warp *v)
{
    return v->w->executed + (v->in ? (uint64_t)(v->w->turn - v->w->fuel) : 0);
}

/* All warps under way, one per call; `at`: the next one's number. NULL: no more. */
static timed_warp *next_warp(const course *c, uint64_t *at)
{
    const timed *x = c->group;
    const uint64_t each = (uint64_t)x->per_mp * x->l->warps;
    for (; *at < each * c->used; (*at)++) {
        const multiprocessor *m = &c->mps[*at / each];
        const uint32_t o = (uint32_t)(*at % each / x->l->warps);
        if (o < m->count) return warp_of(x, m, &m->blocks[m->order[o]], (uint32_t)((*at)++ % x->l->warps));
    }
    return NULL;
}

enum { COMES_BY = 1 << 16 /* instructions within which a looping warp comes back to where it was */ };

static bool stands_there(const timed_warp *v)
{
    const split *s = v->w->splits;
    return v->w->executed >= v->goal && v->w->split_high == 1 && s->state == v->stands.state && s->ip == v->stands.ip;
}

/* Runs the block's warps, each to its goal and on to the instruction at which it was. False: not
 * all got there. */
static bool skip_block(timed *x, const multiprocessor *m, const timed_block *b)
{
    uint32_t there = 0;
    for (bool any = true; any && !x->failed && !launch_should_stop(x->l, x->k);) {
        any = false;
        there = 0;
        for (uint32_t k = 0; k < x->l->warps && !x->failed; k++) {
            const timed_warp *v = warp_of(x, m, b, k);
            warp *w = v->w;
            bool on = w->split_high;
            while (on && !stands_there(v) && w->executed < v->goal + COMES_BY && !x->failed) {
                w->stepped = w->executed >= v->goal; /* from there on one by one */
                w->slice = w->stepped ? 0 : (int64_t)(v->goal - w->executed);
                x->failed = warp_run(w, w->stepped) == STOP_FAULT;
                on = w->moved;
                any |= on;
            }
            w->slice = 0;
            there += stands_there(v);
        }
    }
    return there == x->l->warps;
}

/* They are under the clock again, where they were. */
static void go_on_there(const timed *x, const multiprocessor *m, const timed_block *b)
{
    for (uint32_t k = 0; k < x->l->warps; k++) {
        const timed_warp *v = warp_of(x, m, b, k);
        v->w->watch |= WATCH_TIME;
        v->w->stepped = true;
        if (v->in) warp_take_turn(v->w);
    }
}

/* They are under the clock again, elsewhere. */
static void go_on_elsewhere(timed *x, multiprocessor *m, timed_block *b, clocks now)
{
    for (uint32_t k = 0; k < x->l->warps; k++) {
        const timed_warp *v = warp_of(x, m, b, k);
        queue_drop(&m->schedulers[v->sched].queue, v->bit);
    }
    time_block(x, m, b);
    if (!x->failed) after_stop(x, m, b, now);
}

static double pace_of(const timed_warp *v) { return (double)(instructions_of(v) - v->was[0]) / 2; }

/* How many parts can be skipped before the end of the first warp is near. */
static double parts_to_go(const course *c)
{
    double parts = PARTS;
    uint64_t at = 0;
    for (const timed_warp *v; (v = next_warp(c, &at));) {
        const uint64_t until = c->l->sample->trial.warp[v->w - v->of->b->warps] / PARTS * (PARTS - 1);
        const double left = (double)until - (double)instructions_of(v), pace = pace_of(v);
        if (pace > 0 && left < pace * parts) parts = left / pace;
    }
    return parts;
}

/* All warps under way run without the clock for as many parts as each can at its pace, to a place
 * in the same loops. What they wait for, and what queues for DRAM, stays as it is: that is the
 * steady state. */
static void skip_parts(course *c, clocks now)
{
    time_sample *sample = c->l->sample;
    timed *x = c->group; /* the only group */
    const double before = performed(c);
    const uint32_t skipped = sample_skips(sample, parts_to_go(c));
    for (uint32_t i = 0; i < c->used && skipped && !x->failed; i++) {
        multiprocessor *m = &c->mps[i];
        /* a block may end */
        for (uint32_t o = 0, held; o < m->count && !x->failed; o += m->count == held) {
            timed_block *b = &m->blocks[m->order[o]];
            double all = 0;
            for (uint32_t k = 0; k < x->l->warps; k++) all += pace_of(warp_of(x, m, b, k)) / x->l->warps;
            for (uint32_t k = 0; k < x->l->warps; k++) {
                timed_warp *v = warp_of(x, m, b, k);
                const double pace = x->k->barriers_met ? all : pace_of(v); /* warps that meet at barriers go together */
                v->goal = instructions_of(v) + (uint64_t)(pace * skipped);
                untime(v);
                v->stands = v->w->splits[0];
            }
            held = m->count;
            if (skip_block(x, m, b)) go_on_there(x, m, b);
            else if (!x->failed) go_on_elsewhere(x, m, b, now);
        }
    }
    sample->untimed += performed(c) - before;
}

static void part_over(course *c, clocks now)
{
    time_sample *sample = c->l->sample;
    bool strong = false;
    for (uint32_t g = 0; g < c->groups; g++) strong |= c->group[g].k->strong != 0;
    c->parted = false;
    switch (strong ? SAMPLE_ENDS : sample_part(sample, c->begun, now)) {
    case SAMPLE_SKIPS: skip_parts(c, now); break;
    case SAMPLE_DROPS: drop_blocks(c); break;
    case SAMPLE_ENDS: sample->mark = UINT64_MAX; break;
    case SAMPLE_GOES_ON: break;
    }
    c->blocks = sample->most;
    uint64_t at = 0;
    for (timed_warp *v; !broken(c) && (v = next_warp(c, &at));) {
        v->was[0] = v->was[1];
        v->was[1] = instructions_of(v);
    }
    heap_make(c);
}

#endif
