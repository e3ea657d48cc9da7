/* skip.c: parts of very long waves that run without the clock, on cards without caches.
 *
 * A wave of very many steps is timed in parts. When two took equally long (sample.c), the warps
 * under way run untimed, each at its pace, until they are at the same instructions again, and the
 * clock goes on from there. Part of clock.c, whose functions for blocks and warps it uses.
 */
/* It goes on without the clock: its turn ends where it is. */
static void untime(timed_warp *v)
{
    v->w->watch &= (uint8_t)~WATCH_TIME;
    v->w->stepped = false;
    if (!v->in) return;
    v->w->splits[v->w->current].ip = v->in;
    warp_turn_over(v->w);
}

/* Instructions of all timed warps. */
static double performed(const course *c)
{
    double n = 0;
    for (uint32_t g = 0; g < c->groups; g++) n += sample_instructions(c->l, c->group[g].k);
    return n;
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
    if (strong) sample->mark = UINT64_MAX;
    else if (sample_part(sample, c->begun, now) == SAMPLE_SKIPS) skip_parts(c, now);
    c->blocks = sample->most;
    uint64_t at = 0;
    for (timed_warp *v; !broken(c) && (v = next_warp(c, &at));) {
        v->was[0] = v->was[1];
        v->was[1] = instructions_of(v);
    }
    heap_make(c);
}
