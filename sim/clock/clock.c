/* clock.c: a launch in timed order.
 *
 * Each multiprocessor holds as many blocks as its limits allow. Each of its schedulers issues one
 * instruction of one of its warps at a time. A warp issues in order: an instruction waits until the
 * registers that it reads are ready. Among ready warps, those of the oldest block go first, in
 * turn.
 *
 * Multiprocessors meet only in memory and where blocks are handed out. So each runs by itself until
 * its next event that all can see. The one whose event comes first always goes on (mp_run, run). So
 * these events happen in the order of time (course.c); ties go to the lower number. Within a warp,
 * instructions on registers are performed ahead of their time, in one go (look_ahead); their steps
 * are then issued one by one. In large launches so are plain loads and stores (ahead.h).
 *
 * On cards with caches the L2 answers nobody within its latency. So all run up to a horizon no
 * further away than that, whatever the others do. What they ask of the L2 has no answer yet:
 * registers that wait for one hold UNKNOWN and a number. At the horizon all is answered in the
 * order of time (l2_requests.c), and the next window begins. This gives the same clocks as asking
 * one by one, and a multiprocessor's warps stay in the host's cache for a whole window.
 *
 * The schedulers of a multiprocessor do the same. What one does reaches the others at a barrier, or
 * when a block begins in the place of another; both take some clocks (timed.apart). For so long the
 * first of them goes on by itself. If none of its warps waits and no block has ended there, it goes
 * on to the end of the window (depends). It does only what its own warps can see. An event, or the
 * end of what is known of a warp, waits until it is the next of all schedulers.
 */
#include "ahead.h"
#include "filming.h"
#include "list.h"
#include "sample.h"
#include <math.h>
#include <stdlib.h>

static inline timed_warp *warp_at(const timed *x, const scheduler *c, uint32_t bit)
{
    return (timed_warp *)(void *)(c->warps + bit * x->stride);
}

/* Warp k of the block: neighbours go to different schedulers. */
static inline timed_warp *warp_of(const timed *x, const multiprocessor *m, const timed_block *b, uint32_t k)
{
    const uint32_t n = b->index * x->l->warps + k;
    return warp_at(x, &m->schedulers[n % x->schedulers], n / x->schedulers);
}

/* ---- one warp ---- */

static inline const insn *perform_one(const timed_warp *v, const insn *in)
{
    return SIM_UNLIKELY(v->film != NULL) ? film_perform(v->film, in) : warp_perform(v->w, in);
}

/* Performs the instruction at `in` and those that go together with it: where the warp goes on. */
static const insn *perform(const timed *x, const timed_warp *v, const insn *in)
{
    const insn *next = perform_one(v, in);
    /* also after a guard that let all lanes through */
    for (int more = x->p.length[in - x->l->code->insns] - 1; more > 0 && next == ++in; more--)
        next = perform_one(v, next);
    return next;
}

/* The same ahead of its time; notes its accesses at *end. */
static const insn *perform_ahead(timed *x, const timed_warp *v, const insn *in, stretch *s, char **end)
{
    seen_accesses *seen = x->k->seen;
    const insn *insns = x->l->code->insns;
    seen->count = 0;
    const insn *next = perform(x, v, in);
    for (int i = 0; i < seen->count; i++) *end = ahead_note(*end, &seen->list[i], (uint32_t)(seen->list[i].in - insns));
    s->accesses = (uint8_t)seen->count;
    s->performed = true;
    seen->count = SEEN_MOST; /* what touches registers only is not noted */
    return next;
}

/* Lanes parted at the branch at `pc`. Returns where some of them reconverge if they have nothing to
 * do before; else 0. */
static uint32_t meets_at_once(const code_module *m, uint32_t pc)
{
    const insn *in = &m->insns[pc], *there = insn_join(in);
    return insn_target(in) == there || in + 1 == there ? (uint32_t)(there - m->insns) : 0;
}

/* Performs what nobody else can see, and finds the next stretches: one, or as many as may be
 * performed together. False: the warp has nothing to do, or the launch failed. */
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
            in = perform_one(v, in);
        }
        stretch *s = (stretch *)(void *)v->found_end;
        char *end = v->found_end + sizeof *s;
        bool waits = false;
        uint32_t meet = 0;                /* where some lanes have come to, and wait for the others */
        uint32_t slow = 0, slow_from = 0; /* steps of the slow path that these numbers take */
        *s = (stretch){.from = p->first[from]};
        if (!in) {
            const uint32_t at = (uint32_t)(last - m->insns);
            s->to = s->act = p->first[at + p->meets[at]];
        } else if (p->slow[to]) {
            slow = slow_path_taken(w, m, to, &slow_from);
            in = perform_one(v, stop);
            s->to = s->act = p->first[to + p->length[to]];
        } else if (p->act[to] == ACT_LEAVE) {
            const uint32_t mask = w->mask;
            in = perform_one(v, stop);
            if (p->meets[to] && in && w->mask != mask) meet = meets_at_once(m, to);
            const uint32_t over = p->over[to];
            const bool all_jump = over && in && in != stop + 1 && in != w->join_pc;
            s->to = s->act = all_jump ? p->first[over] : p->first[to + p->length[to]];
        } else {
            s->act = p->first[to];
            s->to = p->first[to + p->length[to]];
            /* in a cluster others see the rest too, but for plain accesses to the own memory */
            s->all = p->act[to] == ACT_GLOBAL || (x->course->each > 1 && !p->plain[to]);
            waits = !x->ahead || !p->plain[to];
            if (!waits) in = perform_ahead(x, v, in, s, &end);
        }
        if (s->from != s->to) v->found_end = end;
        if (meet) {
            stretch *there = (stretch *)(void *)v->found_end;
            *there = (stretch){.from = p->first[meet], .to = p->first[meet + 1], .act = p->first[meet + 1]};
            v->found_end += sizeof *there;
        }
        if (slow) {
            const uint32_t first = p->slow[to] + slow_from;
            stretch *way = (stretch *)(void *)v->found_end;
            *way = (stretch){.from = first, .to = first + slow, .act = first + slow};
            v->found_end += sizeof *way;
        }
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

enum { FETCHED = 128 /* bytes of a warp's row that the host fetches before they are needed */ };

/* The warp has no step left: the next stretch. False: as look_ahead. */
static bool next_stretch(timed *x, timed_warp *v)
{
    if (v->found == v->found_end && !look_ahead(x, v)) return false;
    const stretch *s = (const stretch *)(void *)v->found;
    v->found += sizeof *s;
    v->at = x->p.steps + s->from;
    v->end = x->p.steps + s->to;
    v->act = x->p.steps + s->act;                    /* the end: never issued */
    v->all = s->all && !(s->performed && x->window); /* else it only asks, and is answered in order */
    v->performed = s->performed;
    v->accesses = s->accesses;
    if (s->all && s->accesses) {
        const note *n = (const note *)(const void *)v->found;
        time_will_ask(x->memory, v->of->multiprocessor, n->address[0]);
    }
    host_fetch(v->found + FETCHED);
    return true;
}

/* It does not wait for its sources. */
static inline bool puts_off(const timed_warp *v) { return v->turn < v->at->puts_off; }

/* When the warp's next step can issue. */
static inline void await(timed_warp *v)
{
    const step *s = v->at;
    const key *reg = v->reg;
    key at = latest(latest(reg[s->need[0]], reg[s->need[1]]), latest(reg[s->need[2]], reg[s->need[3]]));
    if (!s->simple) {
        for (int i = 0; i < s->more; i++) at = latest(at, reg[s->needs[i]]);
        if (puts_off(v)) at = 0;
    }
    at = latest(at, v->floor);
    v->why = at;
    v->ready = key_clock(at) > v->free ? key_clock(at) : v->free;
}

/* After a warp has issued: its next step is known; it has none now; or it can be found only in the
 * order of time. */
enum settled { SETTLED, STOPS, LATER };

/* It begins to wait, stops waiting, or has ended. */
static void state_changed(timed *x, timed_block *b, const timed_warp *v, enum warp_state was)
{
    scheduler *c = &x->course->mps[b->multiprocessor].schedulers[v->sched];
    b->ready += (v->state == WARP_READY) - (was == WARP_READY);
    c->waiting += (v->state == WARP_WAITS) - (was == WARP_WAITS);
    if (v->state != WARP_DONE) return;
    share_of_block *mine = c->shares;
    b->done++;
    while (!(mine->warps >> v->bit & 1)) mine++;
    c->over += !--mine->left;
}

/* Finds the warp's next step, wherever it is. */
static enum settled settle(timed *x, timed_block *b, timed_warp *v, bool in_order)
{
    const enum warp_state was = v->state;
    v->state = WARP_READY;
    for (;; v->at++) {
        if (v->at == v->end && v->found == v->found_end && !in_order) return LATER;
        if (v->at == v->end && !next_stretch(x, v)) break;
        const step *s = v->at;
        if (!s->free || s == v->act) break;
        key from = 0; /* its result is there with the last of its sources */
        for (int i = 0; i < s->sources; i++) from = latest(from, v->reg[s->source[i]]);
        for (int i = 0; i < s->targets; i++) v->reg[s->target[i]] = from;
        v->scattered |= from >= UNKNOWN;
    }
    if (v->state != was) state_changed(x, b, v, was);
    if (v->state != WARP_READY || x->failed) return STOPS;
    await(v);
    return SETTLED;
}

/* Into its queue, ready at `when`. */
static inline void put_at(scheduler *c, const timed_warp *v, clocks when)
{
    c->unit[v->bit] = v->at->unit;
    queue_put(&c->queue, v->bit, when);
}

/* The same, if it is known when it is ready. */
static inline void put(scheduler *c, const timed_warp *v)
{
    if (v->ready < key_clock(UNKNOWN)) put_at(c, v, v->ready);
}

/* The same for a warp that has not just issued; puts it in its queue. */
static void settle_in(timed *x, multiprocessor *m, timed_block *b, timed_warp *v)
{
    if (settle(x, b, v, true) == SETTLED) put(&m->schedulers[v->sched], v);
}

/* A scheduler's next issue, as far as is known. */
static inline void look(scheduler *c)
{
    if (c->unsettled) return;
    const clocks at = c->free > c->now ? c->free : c->now;
    queue_advance(&c->queue, at);
    c->next = queue_next(&c->queue, at);
}

/* When the multiprocessor will do something, as far as is known. */
static clocks first_event(const timed *x, const multiprocessor *m)
{
    clocks first = m->starts ? m->start_at : INT64_MAX;
    for (uint32_t s = 0; s < x->schedulers; s++)
        if (m->schedulers[s].next < first) first = m->schedulers[s].next;
    return first;
}

/* Warps that another warp of the block has released. */
static void wake(timed *x, multiprocessor *m, timed_block *b, key floor)
{
    for (uint32_t k = 0; k < x->l->warps; k++) {
        timed_warp *v = warp_of(x, m, b, k);
        if (v->state != WARP_WAITS || !warp_ready(v->w)) continue;
        v->floor = floor;
        settle_in(x, m, b, v);
    }
}

/* What happened here has changed what another multiprocessor will do. */
static void disturb(const timed *x, multiprocessor *m)
{
    for (uint32_t s = 0; s < x->schedulers; s++) look(&m->schedulers[s]);
    const clocks first = first_event(x, m);
    if (first < m->event) m->event = first;
    x->course->disturbed = true;
}

/* When the cluster's barrier, now complete, releases its threads. */
static clocks cluster_over(const timed *x, cluster *c, clocks now)
{
    const double latency = x->t->cluster_barrier > 0 ? x->t->cluster_barrier : x->t->barrier_latency;
    clocks from = now; /* a release is a fence: what the blocks have asked for must be over */
    for (uint32_t i = 0; c->released && i < c->count; i++) {
        const timed_block *b = c->member[i] ? c->member[i]->timed : NULL;
        if (b && x->course->mps[b->multiprocessor].over > from) from = x->course->mps[b->multiprocessor].over;
    }
    return c->over_at = from + clocks_of(latency + (c->released ? x->t->cluster_release : 0));
}

/* All threads of the cluster have arrived at its barrier: warps on other multiprocessors go on too. */
static void wake_cluster(timed *x, const multiprocessor *m, cluster *c, clocks now)
{
    const clocks at = cluster_over(x, c, now);
    for (uint32_t i = 0; i < c->count; i++) {
        timed_block *b = c->member[i] ? c->member[i]->timed : NULL;
        if (!b) continue;
        multiprocessor *there = &x->course->mps[b->multiprocessor];
        wake(x, there, b, key_of(at, SIM_STALL_BARRIER));
        if (there != m) disturb(x, there);
    }
}

/* ---- blocks ---- */

static uint64_t issued(const course *c)
{
    uint64_t n = 0;
    for (uint32_t g = 0; g < c->groups; g++) n += c->group[g].issued;
    return n;
}

/* Before its first block: a small launch leaves most multiprocessors alone. */
static void make_warps(const timed *x, multiprocessor *m)
{
    memset(m->schedulers[0].warps, 0, x->bits * x->schedulers * x->stride);
    for (uint32_t i = 0; i < x->schedulers; i++)
        for (uint32_t k = 0; k < x->bits; k++) {
            timed_warp *v = warp_at(x, &m->schedulers[i], k);
            v->found = v->ahead = m->ahead + (i * x->bits + k) * (size_t)AHEAD_ROOM;
        }
    m->made = true;
}

static bool make_block(timed *x, multiprocessor *m, timed_block *b)
{
    if (!m->made) make_warps(x, m);
    b->index = (uint32_t)(b - m->blocks);
    b->multiprocessor = m->index;
    b->b = block_new(x->k);
    if (b->b) b->b->timed = b;
    for (uint32_t k = 0; b->b && k < x->l->warps; k++) {
        const uint32_t n = b->index * x->l->warps + k;
        timed_warp *v = warp_of(x, m, b, k);
        v->of = b;
        v->place = n;
        v->sched = (uint8_t)(n % x->schedulers);
        v->bit = (uint8_t)(n / x->schedulers);
    }
    return b->b;
}

/* Counts what each scheduler of the multiprocessor holds. */
static void count_warps(const timed *x, multiprocessor *m)
{
    for (scheduler *c = m->schedulers; c < m->schedulers + x->schedulers; c++) {
        c->waiting = c->over = 0;
        for (share_of_block *s = c->shares; s < c->shares + m->count; s++) {
            s->left = 0;
            for (uint64_t bits = s->warps; bits; bits &= bits - 1) {
                const enum warp_state state = warp_at(x, c, (uint32_t)queue_low_bit(bits))->state;
                s->left += state != WARP_DONE;
                c->waiting += state == WARP_WAITS;
            }
            c->over += !s->left;
        }
    }
}

/* Its warps are under the clock from here on. */
static void time_block(timed *x, multiprocessor *m, timed_block *b)
{
    b->ready = b->done = 0;
    for (uint32_t k = 0; k < x->l->warps; k++) {
        timed_warp *v = warp_of(x, m, b, k);
        v->w->watch |= WATCH_TIME;
        v->w->stepped = true;
        v->in = NULL;
        v->at = v->end = v->act = x->p.steps;
        v->found = v->found_end = v->ahead;
        v->state = WARP_WAITS;
    }
    count_warps(x, m);
    for (uint32_t k = 0; k < x->l->warps && !x->failed; k++) settle_in(x, m, b, warp_of(x, m, b, k));
}

/* The block at the multiprocessor's next place has started: from here on it is timed. */
static bool begin_block(timed *x, multiprocessor *m, clocks now)
{
    const launch *l = x->l;
    course *c = x->course;
    timed_block *b = &m->blocks[m->order[m->count]];
    c->begun++;
    ticks ask = now * TICKS, at = ask > c->dispatcher ? ask : c->dispatcher;
    clocks begin = (at + TICKS - 1) / TICKS + (now ? c->block_turn : 0); /* at first all places are free */
    c->dispatcher = at + c->block_start;
    if (!m->begun) begin += c->parameters;
    m->begun = true;
    for (uint32_t s = 0; s < x->schedulers; s++) m->schedulers[s].shares[m->count] = (share_of_block){0};
    for (uint32_t k = 0; k < l->warps; k++) {
        timed_warp *v = warp_of(x, m, b, k);
        m->schedulers[v->sched].shares[m->count].warps |= UINT64_C(1) << v->bit;
        memset(v->reg, 0, sizeof(key) * x->p.registers);
    }
    b->begin = begin;
    b->b->cluster->over_at = 0;
    b->b->last = c->begun > l->sample->stop;
    if (l->film) film_begins(l->film, m->index, b->index * l->warps, b->b, begin);
    c->blocks = sample_begins(l->sample, c->begun, begin, issued(c));
    if (!m->count++) m->busy_since = begin;
    x->k->now = (uint64_t)begin;
    for (uint32_t k = 0; k < l->warps; k++) {
        timed_warp *v = warp_of(x, m, b, k);
        v->w = &b->b->warps[k];
        v->film = l->film ? film_warp_at(l->film, m->index, v->place) : NULL;
        v->free = begin;
        v->floor = 0;
        v->turn = 0;
        v->scattered = false;
        v->product = 0;
        v->committed = 0;
        v->fenced = 0;
        v->was[0] = v->was[1] = 0;
    }
    time_block(x, m, b);
    for (uint32_t s = 0; s < x->schedulers; s++) look(&m->schedulers[s]);
    return !x->failed;
}

static bool start_block(timed *x, multiprocessor *m, clocks now)
{
    timed_block *b = &m->blocks[m->order[m->count]];
    if ((!b->b && !make_block(x, m, b)) || !block_start(b->b, sample_next(x->l->sample, x->course->begun))) {
        x->out_of_memory = true;
        return false;
    }
    return begin_block(x, m, now);
}

static uint32_t free_places(const timed *x, const multiprocessor *m) { return x->per_mp - m->count; }

/* Places for the blocks of a cluster in a group of multiprocessors: the emptiest first, neighbours together. False:
 * there are too few. */
static bool find_places(const course *c, uint32_t gpc, multiprocessor **to)
{
    const timed *x = c->group;
    uint32_t found = 0;
    while (found < c->each) {
        multiprocessor *best = NULL;
        uint32_t most = 0;
        for (uint32_t i = 0; i < c->mp_count; i++) {
            multiprocessor *m = &c->mps[i];
            uint32_t left = free_places(x, m);
            if (m->gpc != gpc || left <= most) continue;
            for (uint32_t k = 0; k < found; k++) left -= to[k] == m;
            if (left > most) most = left, best = m;
        }
        if (!best) return false;
        to[found++] = best;
    }
    return true;
}

/* Starts clusters in this group while it has room for one. */
static bool start_clusters(course *c, uint32_t gpc, const multiprocessor *running, uint32_t most, clocks now)
{
    timed *x = c->group;
    multiprocessor *to[CLUSTER_MOST];
    block *members[CLUSTER_MOST];
    for (; most && c->begun < c->blocks && find_places(c, gpc, to); most--) {
        bool fine = true;
        uint32_t taken[CLUSTER_MOST];
        for (uint32_t i = 0; i < c->each && fine; i++) {
            uint32_t before = 0;
            for (uint32_t k = 0; k < i; k++) before += to[k] == to[i];
            taken[i] = to[i]->order[to[i]->count + before];
            timed_block *b = &to[i]->blocks[taken[i]];
            fine = b->b || make_block(x, to[i], b);
            members[i] = b->b;
        }
        if (!fine || !cluster_start(members, c->begun / c->each)) {
            x->out_of_memory = true;
            return false;
        }
        for (uint32_t i = 0; i < c->each; i++) {
            if (!begin_block(x, to[i], now)) return false;
            if (to[i] != running) disturb(x, to[i]);
        }
    }
    return true;
}

/* At the start: the group with the most free places comes first. */
static bool first_clusters(course *c, uint32_t gpcs)
{
    const timed *x = c->group;
    bool none = false;
    while (!none && c->begun < c->blocks) {
        uint32_t best = 0, most = 0;
        for (uint32_t g = 0; g < gpcs; g++) {
            uint32_t left = 0;
            for (uint32_t i = 0; i < c->mp_count; i++) left += c->mps[i].gpc == g ? free_places(x, &c->mps[i]) : 0;
            if (left > most) most = left, best = g;
        }
        const uint64_t before = c->begun;
        if (!start_clusters(c, best, NULL, 1, 0)) return false;
        none = c->begun == before;
    }
    return true;
}

/* It has ended, or is timed no further. */
static void leave_block(timed *x, multiprocessor *m, timed_block *b, clocks now)
{
    uint32_t slot = (uint32_t)(b - m->blocks), i = 0;
    while (m->order[i] != slot) i++;
    for (uint32_t s = 0; s < x->schedulers; s++) m->schedulers[s].over -= !m->schedulers[s].shares[i].left;
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
    if (x->l->film) film_ends(x->l->film, m->index, b->index * x->l->warps, b->b, now);
    const uint64_t longest = block_finish(b->b);
    const double pace = longest ? (double)(now - b->begin) / (double)longest : 0;
    if (pace > 0 && (x->brisk == 0 || pace < x->brisk)) x->brisk = pace;
    leave_block(x, m, b, now);
}

#include "issue.c" /* needs what stands above */

/* ---- the launch ---- */

#include "course.c" /* needs what stands above */

/* Memory for all warps and their rows, in few pages where most of it is used. */
static char *make_places(const course *c)
{
    const timed *x = c->group;
    const size_t bytes = (size_t)c->mp_count * x->bits * x->schedulers * (x->stride + AHEAD_ROOM),
                 align = bytes < HOST_LARGE_PAGE || c->blocks < c->mp_count ? 64 : HOST_LARGE_PAGE;
    char *places = aligned_alloc(align, (bytes / align + 1) * align);
    if (align == HOST_LARGE_PAGE) host_large_pages(places, bytes);
    return places;
}

static bool make_multiprocessor(timed *x, multiprocessor *m)
{
    uint32_t n = x->schedulers;
    m->schedulers = host_apart(n, sizeof *m->schedulers);
    m->blocks = host_apart(x->per_mp, sizeof *m->blocks);
    m->order = calloc(x->per_mp, sizeof *m->order);
    if (!m->schedulers || !m->blocks || !m->order) return false;
    share_of_block *shares = host_apart((size_t)n * x->per_mp, sizeof *shares);
    m->schedulers[0].shares = shares;
    m->schedulers[0].warps = x->course->places + m->index * (size_t)x->bits * n * (x->stride + AHEAD_ROOM);
    m->ahead = m->schedulers[0].warps + x->bits * n * x->stride;
    if (!shares) return false;
    for (uint32_t i = 0; i < n; i++) {
        m->schedulers[i].warps = m->schedulers[0].warps + i * x->bits * x->stride;
        m->schedulers[i].shares = shares + (size_t)i * x->per_mp;
        queue_init(&m->schedulers[i].queue);
        if (!m->index) m->schedulers[i].over_time = x->course->over_time;
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

static bool make_group(course *c, uint32_t g, worker *k, seen_accesses *seen)
{
    const launch *l = c->l;
    timed *x = &c->group[g];
    *x = (timed){.course = c,
                 .l = c->l,
                 .k = k,
                 .t = &l->s->card.timing,
                 .index = g,
                 .first = c->mp_count,
                 .per_mp = l->sample->per_mp,
                 .ahead = l->sample->ahead,
                 .p = x->p};
    if (g && !program_copy(&x->p, &c->group->p)) return false;
    x->schedulers = x->t->schedulers > 0 ? (uint32_t)x->t->schedulers : 1;
    x->bits = (x->per_mp * l->warps + x->schedulers - 1) / x->schedulers;
    x->stride = ((sizeof(timed_warp) + sizeof(key) * x->p.registers + 63) / 64 | 1) * 64; /* see timed.stride */
    x->memory = c->memory;
    x->window = time_window(c->memory);
    if (c->each > 1 && x->window) { /* nothing reaches another multiprocessor of the cluster within it */
        const double away[] = {x->t->cluster_latency, x->t->cluster_barrier};
        for (int i = 0; i < 2; i++)
            if (away[i] >= 1 && clocks_of(away[i]) < x->window) x->window = clocks_of(away[i]);
    }
    x->horizon = x->window ? 0 : INT64_MAX;
    x->apart = x->window ? clocks_of(x->t->barrier_latency) : 0;
    x->follow = l->sample->plan.count > l->sample->plan.each;
    if (x->follow && x->apart > c->block_turn) x->apart = c->block_turn;
    x->stalls = k->stalls = calloc((size_t)l->code->count + 1, sizeof *x->stalls); /* freed with the worker */
    seen->count = SEEN_MOST;
    k->seen = seen;
    for (uint32_t i = c->mp_count; i-- > 0;)
        if (time_group_of(i, c->mp_count, c->groups) == g) x->first = i, x->count++;
    return x->stalls;
}

typedef struct seen_apart {
    HOST_APART seen_accesses of;
} seen_apart;

/* Parameters are constants. What a launch brings along is there; a multiprocessor fetches the rest, and the L2 has
 * the farther ones only if nothing has driven them out. */
static clocks wait_for_parameters(const launch *l, time_memory_state *m)
{
    enum { NEAR = 48, FAR = 192 }; /* bytes: tests/fidelity/hopper.txt, parameters */
    const sim_timing *t = &l->s->card.timing;
    if (l->param_bytes <= NEAR) return 0;
    const bool miss = l->param_bytes > FAR && t->parameter_miss > 0 && time_misses_parameters(m);
    return clocks_of(t->parameter_line + (miss ? t->parameter_miss : 0));
}

static bool make_course(course *c, worker *k, seen_apart *seen)
{
    const launch *l = c->l;
    const sample_plan *plan = &l->sample->plan;
    /* the first multiprocessors may have a block more than the others */
    const bool few = l->blocks <= plan->filling && !plan->uneven;
    c->block_start = ticks_of(l->s->card.timing.block_start * plan->of / plan->mps);
    c->block_turn = clocks_of(l->s->card.timing.block_turn);
    c->each = l->cluster_blocks;
    c->mps = host_apart(c->mp_count, sizeof *c->mps);
    c->heap = calloc(c->mp_count, sizeof *c->heap);
    /* the first group's; the others copy it */
    if (!program_make(&c->group->p, l->code, l->s, l->entry)) return false;
    c->memory = time_memory_open(c->l, c->group->p.alike, plan->mps, c->groups, few ? (uint32_t)plan->first : plan->mps,
                                 few ? (uint32_t)(l->blocks - plan->first) : plan->of - plan->mps,
                                 (uint64_t)l->sample->per_mp * (l->shared_used + (uint64_t)l->s->card.shared_reserved));
    l->sample->memory = c->memory;
    if (!c->mps || !c->heap || !c->memory) return false;
    c->parameters = wait_for_parameters(l, c->memory);
    for (uint32_t g = 0; g < c->groups; g++)
        if (!make_group(c, g, &k[g], &seen[g].of)) return false;
    c->places = make_places(c);
    for (uint32_t i = 0; i < c->mp_count && c->places; i++) {
        c->mps[i].index = i;
        c->mps[i].group = &c->group[time_group_of(i, c->mp_count, c->groups)];
        if (!make_multiprocessor(c->mps[i].group, &c->mps[i])) return false;
    }
    if (c->each > 1) {
        uint32_t *of = calloc(c->mp_count, sizeof *of);
        if (!of) return false;
        occupancy_gpc_of(&l->s->card, of);
        for (uint32_t i = 0; i < c->mp_count; i++) c->mps[i].gpc = of[i];
        free(of);
    }
    return c->places;
}

int SIM_NAME(time_run)(launch *l, worker *k, int groups)
{
    const sample_plan *plan = &l->sample->plan;
    seen_apart seen[CLOCK_GROUPS];
    course *c = host_apart(1, sizeof *c);
    if (!c) return SIM_E_MEMORY;
    *c = (course){.l = l, .groups = (uint32_t)groups, .mp_count = plan->mps, .blocks = plan->count, .helps = true};
    const bool made =
        make_course(c, k, seen) && (!l->wanted->film || (l->film = film_new(l, c->group->per_mp * l->warps)));
    if (made) run(c);
    if (l->film) film_over(l->film, c->group->end, broken(c));
    film_free(l->film);
    l->film = NULL;
    for (int g = 0; g < groups; g++) k[g].seen = NULL;
    if (made) clock_report(c);
    bool fine = made;
    for (int g = 0; g < groups; g++) fine &= !c->group[g].out_of_memory;
    for (uint32_t i = 0; c->mps && i < c->mp_count; i++) free_multiprocessor(c->group, &c->mps[i]);
    for (uint32_t g = 0; g < c->groups; g++) {
        free(c->group[g].asking);
        free(c->group[g].fences);
        if (g) free(c->group[g].p.steps);
    }
    program_free(&c->group->p);
    time_memory_close(c->memory);
    free(c->mps);
    free(c->heap);
    free(c->places);
    free(c);
    return fine ? SIM_OK : SIM_E_MEMORY;
}
