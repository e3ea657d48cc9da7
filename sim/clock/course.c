/* course.c: the course of a launch: which multiprocessor goes on next.
 *
 * Where there are windows (clock.c), each begins with what every multiprocessor can do without the
 * others: up to the horizon, or to the first event that needs the order of all. This is done group
 * by group, where plain accesses are performed ahead (ahead.h). It runs on as many host threads as
 * are free (machine/thread_pool.h), as long as most steps can be done so: not where blocks start
 * all the time. The rest of the window runs in order, one multiprocessor at a time.
 *
 * Groups share nothing but memory. When several touch a word of it and one writes, that is
 * detected, and the launch begins again on one thread (run/parallel_bet.c). So the clocks do not
 * depend on the number of threads. Part of clock.c.
 */
_Static_assert((int)CLOCK_GROUPS <= (int)CREW_PIECES, "a group is a piece");

static void sift_down(course *c, uint32_t i)
{
    for (;;) {
        uint32_t least = i, l = 2 * i + 1, r = l + 1;
        if (l < c->used && before(c->heap[l], c->heap[l]->event, c->heap[least])) least = l;
        if (r < c->used && before(c->heap[r], c->heap[r]->event, c->heap[least])) least = r;
        if (least == i) return;
        multiprocessor *m = c->heap[i];
        c->heap[i] = c->heap[least];
        c->heap[least] = m;
        i = least;
    }
}

static void heap_make(course *c)
{
    for (uint32_t i = 0; i < c->used; i++) c->heap[i] = &c->mps[i];
    for (uint32_t i = c->used; i-- > 0;) sift_down(c, i);
}

static multiprocessor *second(const course *c)
{
    if (c->used < 2) return NULL;
    return c->used > 2 && before(c->heap[2], c->heap[2]->event, c->heap[1]) ? c->heap[2] : c->heap[1];
}

/* A block failed, or memory ran out. */
static bool broken(const course *c)
{
    for (uint32_t g = 0; g < c->groups; g++)
        if (c->group[g].failed || c->group[g].out_of_memory) return true;
    return false;
}

#include "skip.c" /* needs what stands above */

enum { SOON_HEARD = 12 /* answers: the host fetches what the answer so far ahead needs */ };

/* What was asked for before a fence, and in its first round, has been answered: when it ends. */
static void end_fences(timed *x)
{
    const clocks round = clocks_of(x->t->fence_apart);
    uint32_t left = 0;
    for (uint32_t i = 0; i < x->fence_count; i++) {
        fencing f = x->fences[i];
        timed_warp *v = f.v;
        const bool waits = v->floor == f.floor && v->state == WARP_READY;
        if (waits) {
            scheduler *c = &f.m->schedulers[v->sched];
            queue_drop(&c->queue, v->bit);
            if (f.until > f.now) set_fence(x, v, f.now, f.until, f.takes);
            f.floor = v->floor;
            await(v);
            put(c, v);
        }
        if (waits && x->horizon <= f.now + round) x->fences[left++] = f;
        else v->fenced = key_clock(v->floor == f.floor || v->floor > f.floor ? v->floor : f.floor);
    }
    x->fence_count = left;
}

/* A group hears the answers to what it asked. */
static void hear_answers(course *c, timed *x)
{
    uint32_t count;
    const time_answer *a = time_answers(x->memory, x->index, &count);
    const clocks round = clocks_of(x->t->fence_apart);
    for (uint32_t i = 0; i < count; i++) {
        asking *q = &x->asking[a[i].who];
        if (i + SOON_HEARD < count) {
            const asking *soon = &x->asking[a[i + SOON_HEARD].who];
            host_fetch(soon->v);
            host_fetch(&soon->v->reg[soon->s->into[0]]);
        }
        const key there = key_of_access(x, q->s, SIM_STALL_MEMORY, &a[i].r, q->now);
        const clocks over = key_clock(there);
        if (over > q->m->over) q->m->over = over;
        for (uint32_t k = 0; k < x->fence_count; k++)
            if (x->fences[k].m == q->m && x->fences[k].now + round >= q->now && x->fences[k].until < over)
                x->fences[k].until = over;
        if (!q->sends) q->done = latest(q->done, there);
        if (!--q->left) hear(x, q, unknown(a[i].who));
    }
    x->askings = 0;
    end_fences(x);
    for (uint32_t i = x->first; i < x->first + x->count && count; i++) {
        multiprocessor *m = &c->mps[i];
        if (!m->count) continue;
        for (uint32_t s = 0; s < x->schedulers; s++) look(&m->schedulers[s]);
        m->event = first_event(x, m);
    }
}

/* Places of each scheduler up to the last one that holds a warp. */
static uint32_t places_used(const timed *x, const multiprocessor *m)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->order[i] >= blocks) blocks = m->order[i] + 1;
    return (blocks * x->l->warps + x->schedulers - 1) / x->schedulers;
}

/* The host fetches the multiprocessor's warps while another one runs: all together are more than
 * its caches hold. */
static void fetch_warps(const timed *x, const multiprocessor *m)
{
    const size_t bytes = places_used(x, m) * x->stride;
    for (uint32_t i = 0; i < x->schedulers; i++)
        for (size_t at = 0; at < bytes; at += 64) host_fetch(m->schedulers[i].warps + at);
}

/* And their rows. */
static void fetch_found(const timed *x, const multiprocessor *m)
{
    const uint32_t used = places_used(x, m);
    for (uint32_t i = 0; i < x->schedulers; i++)
        for (uint32_t k = 0; k < used; k++) {
            const char *found = warp_at(x, &m->schedulers[i], k)->found;
            for (int at = 0; at < FETCHED; at += 64) host_fetch(found + at);
        }
}

/* One group goes through its part of the next window alone, as far as it can. */
static void go_alone(void *with, uint32_t group)
{
    course *c = with;
    timed *x = &c->group[group];
    hear_answers(c, x);
    const multiprocessor all = {.event = INT64_MIN}; /* comes first */
    const uint32_t end = x->first + x->count < c->used ? x->first + x->count : c->used;
    for (uint32_t i = x->first; i < end && !c->l->stop; i++) {
        if (i + 2 < end) fetch_warps(x, &c->mps[i + 2]);
        if (i + 1 < end) fetch_found(x, &c->mps[i + 1]);
        if (c->mps[i].event < x->horizon) mp_run(x, &c->mps[i], &all);
    }
}

enum { WINDOWS = 32 /* between two checks of whether help is worth it */ };

/* All groups, each by itself. Where most must be done in order, because blocks are short, moving a
 * group's data to another core of the host costs more than help gains. */
static void all_alone(course *c)
{
    const uint64_t before = issued(c);
    if (c->helps) crew_work(&c->l->crew, go_alone, c, c->groups);
    else
        for (uint32_t g = 0; g < c->groups; g++) go_alone(c, g);
    const uint64_t now = issued(c);
    c->apart += now - before;
    if (++c->windows % WINDOWS) return;
    c->helps = c->apart * 2 > now - c->looked;
    c->looked = now;
    c->apart = 0;
}

/* When the first multiprocessor goes on, as far as is known. */
static clocks first_of(const course *c)
{
    clocks first = INT64_MAX;
    for (uint32_t i = 0; i < c->used; i++)
        if (c->mps[i].event < first) first = c->mps[i].event;
    return first;
}

/* All have reached the end of the window: the next one. False: nothing is left to do. */
static bool next_window(course *c)
{
    timed *x = c->group;
    ticks answered;
    x->out_of_memory |= !time_answer_all(c->memory, &answered);
    if (broken(c)) return false;
    if (c->l->film) film_tell(c->l->film, x->horizon);
    const bool part = (issued(c) & ~(uint64_t)OFTEN) >= c->l->sample->mark, alone = x->ahead && !part;
    if (!alone)
        for (uint32_t g = 0; g < c->groups; g++) hear_answers(c, &c->group[g]);
    if (part) part_over(c, x->horizon);
    clocks first = first_of(c); /* no warp goes on before the answer that it hears is there */
    if (first == INT64_MAX && answered == INT64_MAX) return false;
    if (alone && answered != INT64_MAX && answered / TICKS < first) first = answered / TICKS;
    for (uint32_t g = 0; g < c->groups; g++) c->group[g].horizon = first == INT64_MAX ? INT64_MAX : first + x->window;
    if (alone) all_alone(c);
    heap_make(c);
    return !broken(c);
}

/* Where the kernel was when it was stopped. */
static void say_where(course *c, int stop)
{
    if (stop != LAUNCH_ENDLESS && stop != LAUNCH_TIMEOUT) return;
    for (uint32_t i = 0; i < c->mp_count; i++)
        if (c->mps[i].count) {
            block_endless(c->mps[i].blocks[c->mps[i].order[0]].b);
            break;
        }
    atomic_store(&c->l->stop, stop); /* the fault says where; why the launch ended stays */
}

/* Nothing is left to do: the blocks that are there wait for what will not come. */
static void say_deadlock(course *c)
{
    for (uint32_t i = 0; i < c->used && !broken(c); i++)
        if (c->mps[i].count) {
            block_deadlock(c->mps[i].blocks[c->mps[i].order[0]].b);
            c->group->failed = true;
        }
}

static void run(course *c)
{
    const launch *l = c->l;
    timed *x = c->group;
    if (c->each > 1) {
        c->used = c->mp_count;
        if (!first_clusters(c, occupancy_gpcs(&l->s->card))) return;
        c->disturbed = false;
    }
    for (uint64_t n = 0; c->each == 1 && c->begun < c->blocks && n < (uint64_t)c->mp_count * x->per_mp; n++) {
        multiprocessor *m = &c->mps[n % c->mp_count];
        if (!start_block(m->group, m, 0)) return;
        if (c->used < c->mp_count) c->used++;
    }
    for (uint32_t i = 0; i < c->used; i++) c->mps[i].event = x->window ? first_event(x, &c->mps[i]) : 0;
    heap_make(c);
    while (!l->stop) {
        multiprocessor *m = c->heap[0];
        if (m->event < x->horizon) {
            mp_run(m->group, m, second(c));
            if (c->parted) part_over(c, m->event);
            if (c->disturbed) heap_make(c);
            else sift_down(c, 0);
            c->disturbed = false;
            if (m->group->failed || m->group->out_of_memory) return;
        } else if (!next_window(c)) {
            if (!l->stop) say_deadlock(c);
            return;
        }
    }
    if (!broken(c)) say_where(c, l->stop);
}
