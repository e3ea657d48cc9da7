/* issue.c: a step is issued: what that costs, which warp its scheduler issues next, and how far a
 * multiprocessor goes on by itself.
 *
 * A launch spends most of its time on steps that touch registers only. So their path is short
 * (issue_plain) and apart from the path of events (issue_act). Part of clock.c, whose warps and
 * blocks it uses.
 */
/* A warp waits or has ended, or others stopped waiting. */
static void after_stop(timed *x, multiprocessor *m, timed_block *b, clocks now)
{
    if (x->k->cluster_met) {
        wake_cluster(x, m, x->k->cluster_met, now);
        x->k->cluster_met = NULL;
    }
    if (b->done == x->l->warps) {
        end_block(x, m, b, now);
    } else if (!b->ready) { /* lanes that wait only to end together */
        for (uint32_t k = 0; k < x->l->warps; k++) warp_let_end(warp_of(x, m, b, k)->w);
        wake(x, m, b, key_of(now + x->apart, SIM_STALL_BARRIER));
    }
    for (uint32_t i = 0; i < x->schedulers; i++) look(&m->schedulers[i]);
}

/* Books a wait. One for memory is split by what the access spent its time on: behind bank conflicts
 * of others too, where those keep the same port. One for a branch, a barrier or a product is booked
 * on that instruction, which was issued last. */
static void book_parts(timed *x, const timed_warp *v, uint32_t pc, clocks wait)
{
    enum sim_stall cause = (enum sim_stall)(v->why & 15);
    uint64_t *row =
        x->stalls[cause == SIM_STALL_BARRIER || cause == SIM_STALL_BRANCH || cause == SIM_STALL_PRODUCT ? v->last_pc
                                                                                                        : pc];
    static const struct parts {
        uint8_t port, behind, rest;
    } parts[SIM_STALLS] = {[SIM_STALL_MEMORY] = {SIM_STALL_PORT, SIM_STALL_DRAM, SIM_STALL_MEMORY},
                           [SIM_STALL_SHARED] = {SIM_STALL_SHARED_PORT, SIM_STALL_CONFLICT, SIM_STALL_SHARED},
                           [SIM_STALL_SHARED_TURN] = {SIM_STALL_SHARED_TURN, SIM_STALL_CONFLICT, SIM_STALL_SHARED}};
    const struct parts *p = &parts[cause];
    if (p->port) {
        const clocks port = wait * (v->why >> 12 & 255) / 255, behind = wait * (v->why >> 4 & 255) / 255;
        const clocks conflict =
            p->port == SIM_STALL_PORT ? time_for_conflicts(x->memory, v->of->multiprocessor, port) : 0;
        row[p->port] += (uint64_t)(port - conflict);
        row[SIM_STALL_CONFLICT] += (uint64_t)conflict;
        row[p->behind] += (uint64_t)behind;
        row[p->rest] += (uint64_t)(wait - port - behind);
        return;
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

enum { READS_AHEAD = 2 /* clocks: an instruction has three to read its registers */ };

/* When the scheduler can issue again: not before the banks have delivered most of what this step
 * reads. */
static inline clocks reads_of(const timed *x, scheduler *c, const step *s, clocks at, clocks slot)
{
    const clocks each = x->t->register_reads, begin = at * each;
    c->reading = (c->reading > begin ? c->reading : begin) + s->reads;
    const clocks behind = c->reading - (slot + READS_AHEAD) * each;
    return behind > 0 ? slot + (behind + each - 1) / each : slot;
}

static void film_step(const timed *x, const timed_warp *v, clocks now, clocks wait)
{
    film_issued(v->film, v->at, now, wait, now - v->ready, (enum sim_stall)(v->why & 15));
    if (!x->window) film_tell(x->l->film, now);
}

/* A step of the warp has issued: books it. All reads come before all writes, because a compiler
 * cannot know that they do not alias. */
static inline void pass(timed *x, scheduler *c, timed_warp *v, clocks now, key done, clocks extra, bool simple)
{
    step *s = v->at;
    const uint32_t pc = s->pc;
    const clocks ready = v->ready, wait = ready - v->free, at = now + extra, next = at + s->next, slot = at + s->slot,
                 busy = at + s->busy;
    const key floor = !simple && s->branch ? done : 0;
    clocks *unit_free = &c->unit_free[s->unit];
    key *reg = v->reg, *into = &reg[s->into[0]], *also = &reg[s->into[1]];
    const int targets = s->targets;
    if (wait) book_wait(x, v, pc, wait);
    if (SIM_UNLIKELY(v->film != NULL)) film_step(x, v, now, wait);
    s->issued++;
    s->waited += (uint64_t)(now - ready);
    v->at = s + 1;
    v->floor = floor;
    v->free = next;
    v->last_pc = pc;
    if (!simple && s->turn) v->turn = s->turn == TURN_NEXT ? (uint8_t)((v->turn + 1) % TURNS) : 0;
    if (c->over_time) over_time_add(c->over_time, now, s->slot);
    c->free = reads_of(x, c, s, at, slot);
    *unit_free = busy;
    *into = *also = done;
    for (int i = 2; !simple && i < targets; i++) reg[s->target[i]] = done;
}

static clocks whole(ticks t) { return (t + TICKS - 1) / TICKS; }

/* In 255ths. Both are small enough that doubles give the quotient of the whole numbers. */
static key share_of(ticks part, ticks all) { return part ? (key)((double)(part * 255) / (double)all) : 0; }

/* Where the warp's local memory lies. */
static uint64_t local_of(const timed *x, const multiprocessor *m, const timed_warp *v)
{
    const uint64_t before = (uint64_t)m->index * x->per_mp * x->l->warps;
    return TIME_LOCAL + (before + v->place) * 32 * ((x->l->local_stride + 3) & ~UINT64_C(3));
}

static enum sim_stall cause_of_access(const access *a)
{
    if (a->space == SPACE_SHARED) return a->kind == ACCESS_ATOMIC ? SIM_STALL_SHARED_TURN : SIM_STALL_SHARED;
    return a->space == SPACE_REG ? SIM_STALL_SHARED : SIM_STALL_MEMORY;
}

/* When the data of an access are there, and what the time was spent on. */
static key key_of_access(timed *x, const step *s, enum sim_stall cause, const time_access *r, clocks now)
{
    clocks at = whole(r->done);
    const ticks took = r->done - now * TICKS;
    if (at > x->end) x->end = at;
    if (s->folded) at -= clocks_of(x->t->shared_latency) - s->latency;
    key k = key_of(at, cause);
    return took > 0 ? k | share_of(r->port, took) << 12 | share_of(r->behind, took) << 4 : k;
}

/* The next free entry for a step that waits for answers. NULL: out of memory. */
static asking *next_asking(timed *x)
{
    if (!list_room(&x->asking, &x->asking_room, x->askings + (size_t)1, sizeof *x->asking)) {
        x->out_of_memory = true;
        return NULL;
    }
    return &x->asking[x->askings];
}

/* Copies in the background are there at that time. */
static void land(timed *x, uint32_t flight, uint32_t flights, key done, bool tensor)
{
    const clocks at = key_clock(done) + (tensor ? clocks_of(x->t->tensor_start) : 0);
    for (uint32_t i = 0; i < flights; i++) x->k->bulk.lands[flight + i] = at;
    if (flights && at > x->end) x->end = at;
}

/* The accesses of an instruction issued at `now`: when its results are there, or UNKNOWN and the
 * entry that will hear; *extra: more clocks of the scheduler; `flight`: the first of the copies that it
 * began. */
static key time_accesses(timed *x, multiprocessor *m, timed_warp *v, step *s, clocks now, clocks *extra,
                         uint32_t flight)
{
    key done = s->result + (now << 20);
    uint32_t answers = 0;
    seen_accesses *seen = x->k->seen;
    const bulk_traffic *bulk = &x->k->bulk;
    const uint32_t flights = bulk->flights - flight;
    asking *who = s->object ? NULL : next_asking(x);
    if (!who) return done;
    if (s->joined_bytes && seen->count) {
        access *a = &seen->list[0];
        uint64_t low = ~(uint64_t)(s->joined_bytes - 1);
        for (int l = 0; l < 32; l++) a->address[l] &= low;
        a->size = s->joined_bytes;
        a->passes = 0;
        seen->count = 1;
    }
    const time_asker by = {.multiprocessor = m->index,
                           .warp = v->place,
                           .who = x->askings,
                           .now = now * TICKS,
                           .local = local_of(x, m, v)};
    for (int i = 0; i < seen->count; i++) {
        const access *a = &seen->list[i];
        time_access r;
        answers += time_ask(x->memory, &by, a, &r);
        *extra += whole(r.extra_issue);
        done = latest(done, key_of_access(x, s, cause_of_access(a), &r, now));
    }
    if (bulk->rows) {
        time_access r;
        answers += time_bulk(x->memory, &by, bulk, &r);
        done = latest(done, key_of_access(x, s, SIM_STALL_MEMORY, &r, now));
    }
    if (!answers) {
        land(x, flight, flights, done, bulk->tensor);
        return flights ? s->result + (now << 20) : done;
    }
    m->asked = true;
    *who = (asking){.v = v,
                    .m = m,
                    .s = s,
                    .now = now,
                    .done = done,
                    .left = answers,
                    .flight = flight,
                    .flights = flights,
                    .sends = bulk->kind == ACCESS_WRITE,
                    .tensor = bulk->tensor && bulk->kind == ACCESS_READ};
    if (flights) { /* nothing of the warp waits for it */
        x->askings++;
        return s->result + (now << 20);
    }
    return unknown(x->askings++);
}

/* All answers are there: the time replaces the number that stood for it. */
static void hear(timed *x, const asking *q, key name)
{
    timed_warp *v = q->v;
    if (q->flights) {
        land(x, q->flight, q->flights, q->done, q->tensor);
        return;
    }
    for (int i = 0; i < q->s->targets; i++) {
        key *k = &v->reg[q->s->target[i]];
        if (*k == name) *k = q->done;
    }
    if (v->scattered) {
        v->scattered = false;
        for (uint32_t i = 0; i + 1 < x->p.registers; i++) { /* nobody reads the last one */
            const key k = v->reg[i], behind = k - name;
            if (behind >= 0 && behind >> UNKNOWN_BITS == 0) v->reg[i] = q->done + (behind << 20);
            v->scattered |= v->reg[i] >= UNKNOWN;
        }
    }
    if (v->state != WARP_READY || v->ready < key_clock(UNKNOWN)) return;
    await(v);
    put(&q->m->schedulers[v->sched], v);
}

/* When the results of a step are there that did not wait for its sources: its latency after the
 * last of these, even if nobody knows yet when that is. */
static key put_off(timed_warp *v, clocks now)
{
    const step *s = v->at;
    const key most = (1 << UNKNOWN_BITS) - 1;
    key from = now << 20, behind = 0;
    for (int i = 0; i < s->sources; i++) {
        const key k = v->reg[s->source[i]];
        from = latest(from, k);
        if (k >= UNKNOWN) behind = latest(behind, unknown_clocks(k));
    }
    if (key_clock(from) <= now) return s->result + (now << 20);
    if (from < UNKNOWN) return from + ((key)s->latency << 20);
    behind += s->latency;
    v->scattered = true;
    return from - unknown_clocks(from) + (behind < most ? behind : most);
}

/* An instruction on registers only, already performed. */
static inline enum settled issue_plain(timed *x, multiprocessor *m, scheduler *c, timed_warp *v, clocks now,
                                       bool in_order)
{
    if (v->at->simple) {
        pass(x, c, v, now, v->at->result + (now << 20), 0, true);
    } else {
        if (v->at->port) time_port(x->memory, m->index, now * TICKS); /* no lane is on, else it is an event */
        pass(x, c, v, now, puts_off(v) ? put_off(v, now) : v->at->result + (now << 20), 0, false);
    }
    if (v->at == v->end || (v->at->free && v->at != v->act)) return settle(x, v->of, v, in_order);
    await(v);
    return SETTLED;
}

/* A warpgroup's product begins when the tensor unit of the warp's scheduler is free, and its commit and wait: when
 * the warp's next instruction can issue. */
static key pass_product(scheduler *c, timed_warp *v, const step *s, clocks now)
{
    clocks *unit = &c->unit_free[UNIT_TENSOR];
    switch (s->product) {
    case STEP_PRODUCT:
        *unit = (*unit > now ? *unit : now) + s->product_busy;
        v->product = *unit + s->product_latency;
        return 0;
    case STEP_PRODUCT_COMMIT: v->products[v->committed++ % PRODUCTS] = v->product; return 0;
    default:
        if (v->committed <= s->product_keep || s->product_keep >= PRODUCTS) return 0;
        return key_of(v->products[(v->committed - 1 - s->product_keep) % PRODUCTS], SIM_STALL_PRODUCT);
    }
}

/* A fence beyond the block takes its time, and so long from when all is over that its multiprocessor asked for before
 * it, or while it went round for the first time (tests/fidelity/hopper.txt, releases). */
static void set_fence(timed *x, timed_warp *v, clocks now, clocks over, clocks takes)
{
    const clocks apart = clocks_of(x->t->fence_apart), next = v->fenced ? v->fenced + apart : 0,
                 rest = takes > apart ? takes - apart : takes, alone = now + takes, behind = over + rest;
    const clocks end = alone > behind ? alone : behind;
    v->floor = latest(v->floor, key_of(next > end ? next : end, SIM_STALL_MEMORY));
}

static void fence(timed *x, multiprocessor *m, timed_warp *v, const step *s, clocks now)
{
    set_fence(x, v, now, m->over, s->fence);
    if (m->asked) v->floor = latest(v->floor, key_of(now + s->fence + clocks_of(x->t->fence_behind), SIM_STALL_MEMORY));
    m->asked = false;
    if (!x->fences) x->fences = malloc(FENCINGS * sizeof *x->fences);
    x->out_of_memory |= !x->fences;
    if (x->fences && x->fence_count < FENCINGS)
        x->fences[x->fence_count++] = (fencing){.v = v, .m = m, .now = now, .floor = v->floor, .takes = s->fence};
    else v->fenced = key_clock(v->floor);
}

/* The card's clock is slower while tensor cores work. */
static void note_products(timed *x, const timed_warp *v, const step *s, clocks now)
{
    const int khz = s->product ? x->t->product_khz : x->t->tensor_khz;
    const clocks end = s->product ? v->product : now + s->latency;
    if (!khz) return;
    if (!x->khz) x->products_from = now;
    if (!x->khz || khz < x->khz) x->khz = khz;
    if (end > x->products_to) x->products_to = end;
}

/* An event: performed now, or its accesses were noted when it was performed. */
static enum settled issue_act(timed *x, multiprocessor *m, scheduler *c, timed_warp *v, clocks now)
{
    timed_block *b = v->of;
    step *s = v->at;
    warp *w = v->w;
    key done = s->result + (now << 20);
    clocks extra = 0;
    uint64_t met = x->k->barriers_met + x->k->released;
    x->k->seen->count = 0;
    bulk_traffic *bulk = &x->k->bulk;
    const uint32_t flight = bulk->flights;
    bulk->count = bulk->rows = 0;
    bulk->tensor = false;
    bool over = false; /* of this split: another one goes on */
    if (v->performed) {
        for (int i = 0; i < v->accesses; i++) v->found = ahead_read(v->found, &x->k->seen->list[i], x->l->code->insns);
        x->k->seen->count = v->accesses;
    } else {
        x->k->now = (uint64_t)now;
        v->in = perform(x, v, v->in);
        over = !v->in;
        if (over && w->stop == STOP_FAULT) {
            x->failed = true;
            return STOPS;
        }
    }
    v->act = v->end;
    /* the next instruction waits for the end of the loop */
    const bool loops = x->k->seen->count && x->k->seen->list[0].loops;
    if (x->k->seen->count || bulk->flights > flight) done = time_accesses(x, m, v, s, now, &extra, flight);
    else if (s->port) done += (key)((time_port(x->memory, m->index, now * TICKS) + TICKS - 1) / TICKS) << 20;
    x->k->seen->count = SEEN_MOST; /* what is looked ahead at is not noted */
    /* instructions of a loop, or further passes on compute 1.x */
    x->stalls[s->pc][loops ? SIM_STALL_ISSUE : SIM_STALL_CONFLICT] += (uint64_t)extra;
    x->extra += (uint64_t)extra;
    pass(x, c, v, now, done, extra, false);
    if (loops) v->floor = done;
    if (x->k->suspended) v->floor = key_of(x->k->suspended, SIM_STALL_COPY);
    x->k->suspended = 0;
    if (s->fence) fence(x, m, v, s, now);
    if (x->k->cluster_met) cluster_over(x, x->k->cluster_met, now);
    /* one that has not begun to wait when the last one arrives goes on no earlier than those that have */
    if (s->branch) v->floor = latest(v->floor, key_of((clocks)b->b->cluster->over_at, SIM_STALL_BARRIER));
    if (s->product && !over) v->floor = latest(v->floor, pass_product(c, v, s, now));
    if (s->unit == UNIT_TENSOR || s->product == STEP_PRODUCT) note_products(x, v, s, now);
    if (over) warp_turn_over(w);
    const bool ready = settle(x, b, v, true) == SETTLED, others = x->k->barriers_met + x->k->released != met;
    if (x->k->cluster_met && !x->failed) { /* after_stop wakes the others */
        if (ready) put(c, v);
        return STOPS;
    }
    if (!others || x->failed) return ready ? SETTLED : STOPS;
    if (ready) put(c, v);
    wake(x, m, b, key_of(now + clocks_of(x->t->barrier_latency), SIM_STALL_BARRIER));
    return STOPS;
}

/* The order of what all can see: by time, then by multiprocessor. */
static bool before(const multiprocessor *a, clocks at, const multiprocessor *b)
{
    return at < b->event || (at == b->event && a->index < b->index);
}

/* All can see the warp's next instruction, and another multiprocessor comes first. */
static inline bool must_wait(const multiprocessor *m, const timed_warp *v, const multiprocessor *other)
{
    return v->at == v->act && v->all && other && !before(m, m->event, other);
}

enum { OFTEN = 4095 }; /* steps between two checks for the end of the launch, less one */

/* A step has been issued. True: the launch needs attention. */
static inline bool often(timed *x)
{
    if (++x->issued & OFTEN) return false;
    x->k->executed += OFTEN + 1;
    bool stop = launch_should_stop(x->l, x->k);
    if (!x->window) stop |= x->course->parted = x->issued >= x->l->sample->mark;
    return stop;
}

/* The scheduler's next warp to issue: in turn among the ready warps of the oldest block. NULL:
 * none, as it turned out. */
static inline timed_warp *choose(const timed *x, scheduler *c, clocks now, share_of_block **of)
{
    queue *q = &c->queue;
    c->now = now;
    queue_advance(q, now);
    while (q->ready) {
        share_of_block *turns = c->shares;
        while (!(q->ready & turns->warps)) turns++;
        const uint64_t mine = q->ready & turns->warps, later = mine >> turns->turn << turns->turn;
        const int bit = queue_low_bit(later ? later : mine);
        const clocks unit = c->unit_free[c->unit[bit]];
        *of = turns;
        if (unit <= now) return warp_at(x, c, (uint32_t)bit);
        queue_take(q, bit);
        queue_put(q, bit, unit); /* its unit is free later than the queue could say */
    }
    c->next = queue_next(q, now);
    return NULL;
}

/* The warp has just issued. True: it is the next one of its scheduler, issues before `limit`, and
 * stays out of the queue. */
static inline bool goes_on(scheduler *c, timed_warp *v, clocks limit)
{
    queue *q = &c->queue;
    queue_advance(q, c->free);
    if (!q->ready) {
        const clocks others = queue_next(q, c->free), unit = c->unit_free[v->at->unit],
                     at = v->ready > c->free ? v->ready : c->free, issue = at > unit ? at : unit;
        c->next = at < others ? at : others;
        if (issue < others && issue < limit) {
            c->next = issue;
            return true;
        }
    } else {
        c->next = c->free;
    }
    put(c, v);
    return false;
}

/* One scheduler runs up to `limit`. Its first step comes before those of others. From `rivals`
 * on, when others come first, it does only what they cannot see. False: the multiprocessor has
 * to stop. */
static bool scheduler_run(timed *x, multiprocessor *m, scheduler *c, clocks rivals, clocks limit,
                          const multiprocessor *other)
{
    timed_warp *v = NULL; /* the next one to issue, not in the queue; NULL: not chosen yet */
    bool stop = false;
    if (rivals <= c->next) rivals = c->next + 1;
    if (limit <= c->next) limit = c->next + 1;
    while (c->next < limit && !stop) {
        const clocks now = c->next;
        const bool in_order = now < rivals;
        enum settled is;
        if (c->unsettled) {
            v = c->unsettled;
            c->unsettled = NULL;
            is = settle(x, v->of, v, true);
        } else {
            share_of_block *turns = NULL;
            if (!v && !(v = choose(x, c, now, &turns))) continue;
            const bool act = v->at == v->act;
            if (act || v->at->port) {
                if (in_order) m->event = now;
                if (!in_order || must_wait(m, v, other)) {
                    if (!turns) put_at(c, v, now);
                    return !in_order;
                }
            }
            if (turns) {
                queue_take(&c->queue, v->bit);
                turns->turn = (uint32_t)(v->bit + 1) & 63;
            }
            is = act ? issue_act(x, m, c, v, now) : issue_plain(x, m, c, v, now, in_order);
            stop = often(x) | x->course->disturbed;
            if (stop) m->event = now; /* a part of a wave may be over */
        }
        if (is == LATER) {
            c->unsettled = v;
            c->next = now;
            return !stop;
        }
        if (is == STOPS) {
            if (!x->failed) after_stop(x, m, v->of, c->free);
            if (x->course->disturbed) m->event = now;
            return !stop && !x->course->disturbed;
        }
        if (!goes_on(c, v, limit)) v = NULL;
    }
    if (v) put_at(c, v, c->next);
    return !stop;
}

/* Others can make something happen here: release a warp that waits, or start a block in the place
 * of one that has ended. */
static bool depends(const timed *x, const scheduler *c) { return !x->window || c->waiting || (c->over && x->follow); }

/* Runs until an event for all is next, and another multiprocessor (`other`, may be NULL) comes
 * first. */
static void mp_run(timed *x, multiprocessor *m, const multiprocessor *other)
{
    while (!x->failed && !x->out_of_memory) {
        scheduler *c = m->schedulers;
        clocks rivals = x->horizon; /* when something other than this scheduler's warps comes */
        for (uint32_t i = 1; i < x->schedulers; i++) {
            scheduler *d = &m->schedulers[i];
            if (d->next < c->next) {
                if (c->next < rivals) rivals = c->next;
                c = d;
            } else if (d->next < rivals) {
                rivals = d->next;
            }
        }
        clocks limit = rivals > x->horizon - x->apart || !depends(x, c) ? x->horizon : rivals + x->apart;
        const clocks now = m->event = c->next;
        if (m->starts && m->start_at < x->horizon) {
            if (m->start_at <= now) {
                m->event = m->start_at;
                if (other && !before(m, m->event, other)) return;
                if (x->course->each > 1) {
                    const clocks at = m->start_at;
                    m->starts = 0;
                    if (!start_clusters(x->course, m->gpc, m, UINT32_MAX, at)) return;
                    m->event = first_event(x, m);
                    if (x->course->disturbed) return;
                    continue;
                }
                for (; m->starts; m->starts--)
                    if (x->course->begun < x->course->blocks && !start_block(x, m, m->start_at)) return;
                continue;
            }
            if (m->start_at < rivals) rivals = m->start_at;
            if (m->start_at < limit) limit = m->start_at;
        }
        if (now >= x->horizon) {
            if (m->starts && m->start_at < now) m->event = m->start_at;
            return;
        }
        if (!scheduler_run(x, m, c, rivals, limit, other)) return;
    }
}
