/* happens_before.c: what orders the threads of a launch.
 *
 * Within a block: full barriers (one number), named barriers (warp by warp), warp barriers (one
 * number per warp, or lane by lane for masks that leave some out). These are vector clocks, kept
 * only as fine as needed.
 *
 * Between threads of different blocks, and without barriers: by a fence a thread *publishes* what
 * it has done and knows. Its next strong store or atomic on some location *releases* that. A later
 * strong read of the location *acquires* all that was released there (an edge). The question "is
 * that access ordered before me?" walks the edges that I know of. Did the other block release at
 * that location, early enough, after publishing that access? If not, did a thread there know of
 * another location where it did? A ticket counter of thousands of blocks costs one look-up per
 * question.
 *
 * In doubt the answer is yes: a false alarm is worse than a race that shows up at the next line.
 */
#include "happens_before.h"
#include "proxy.h"
#include "race_memory.h"
#include <stdlib.h>

enum { SEARCH_MOST = 1 << 14, CHAIN_MOST = 4096 };
#define SHARED_KEY (UINT64_C(1) << 63)

static inline uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static bool knows(const struct block_order *o, uint32_t my_warp, uint32_t my_lane, uint32_t v, uint32_t u,
                  uint32_t time)
{
    if (time <= o->full) return true;
    if (o->named && time <= o->known[my_warp][v]) return true;
    if (my_warp != v) return false;
    const struct warp_order *wo = &o->warp[v];
    return my_lane == u || time <= wo->full || (wo->partial && time <= wo->known[my_lane][u]);
}

void race_advance(struct block_order *o)
{
    if (o->time != UINT32_MAX) o->time++;
    o->epoch = 0;
    if (o->proxy) proxy_event(o);
}

/* ---- sets of locations ---- */

static bool grow(race_worker *k, void *array, uint32_t *capacity, uint32_t count, size_t each)
{
    if (count < *capacity) return true;
    void *old;
    memcpy(&old, array, sizeof old);
    uint32_t more = *capacity ? *capacity * 2 : 16;
    if (more < *capacity) return false;
    void *bigger = race_memory(k, (size_t)more * each);
    if (!bigger) return false;
    if (old) memcpy(bigger, old, (size_t)count * each);
    race_memory_free(k, old, (size_t)*capacity * each);
    memcpy(array, &bigger, sizeof bigger);
    *capacity = more;
    return true;
}

static uint32_t hash(uint64_t key, uint32_t room)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (room - 1);
}

static uint32_t find_location(const sync_set *s, uint64_t key)
{
    if (!s->key_room) return UINT32_MAX;
    for (uint32_t i = hash(key, s->key_room);; i = (i + 1) & (s->key_room - 1)) {
        if (!s->by_key[i]) return UINT32_MAX;
        if (s->list[s->by_key[i] - 1].key == key) return s->by_key[i] - 1;
    }
}

static uint32_t make_location(race_worker *k, sync_set *s, uint64_t key)
{
    uint32_t at = find_location(s, key);
    if (at != UINT32_MAX || s->full) return at;
    if (!grow(k, &s->list, &s->capacity, s->count, sizeof *s->list)) return UINT32_MAX;
    if (s->count * 2 >= s->key_room) {
        uint32_t room = s->key_room ? s->key_room * 2 : 64;
        uint32_t *table = race_memory(k, room * sizeof *table);
        if (!table) return UINT32_MAX;
        for (uint32_t i = 0; i < s->count; i++) {
            uint32_t j = hash(s->list[i].key, room);
            while (table[j]) j = (j + 1) & (room - 1);
            table[j] = i + 1;
        }
        race_memory_free(k, s->by_key, s->key_room * sizeof *table);
        s->by_key = table;
        s->key_room = room;
    }
    uint32_t j = hash(key, s->key_room);
    while (s->by_key[j]) j = (j + 1) & (s->key_room - 1);
    s->list[s->count] = (location){.key = key};
    s->by_key[j] = ++s->count;
    return s->count - 1;
}

static uint32_t block_hash(uint64_t linear, uint32_t place, uint32_t room)
{
    return hash(linear ^ (uint64_t)place << 40, room);
}

static struct block_release *find_block(const sync_set *s, uint64_t linear, uint32_t place)
{
    if (!s->block_room) return NULL;
    for (uint32_t i = block_hash(linear, place, s->block_room);; i = (i + 1) & (s->block_room - 1)) {
        struct block_release *b = &s->by_block[i];
        if (!b->head || (b->block_linear == linear && b->location == place)) return b;
    }
}

static struct block_release *make_block(race_worker *k, sync_set *s, uint64_t linear, uint32_t place)
{
    if (s->block_used * 2 >= s->block_room) {
        struct block_release *old = s->by_block;
        uint32_t room = s->block_room ? s->block_room * 2 : 64, old_room = s->block_room;
        struct block_release *table = race_memory(k, room * sizeof *table);
        if (!table) return NULL;
        s->by_block = table;
        s->block_room = room;
        for (uint32_t i = 0; i < old_room; i++)
            if (old[i].head) *find_block(s, old[i].block_linear, old[i].location) = old[i];
        race_memory_free(k, old, old_room * sizeof *old);
    }
    struct block_release *b = find_block(s, linear, place);
    if (!b->head) {
        b->block_linear = linear;
        b->location = place;
        s->block_used++;
    }
    return b;
}

void sync_set_clear(race_worker *k, sync_set *s)
{
    if (!s->count) return;
    for (uint32_t i = 0; i < s->count; i++)
        race_memory_free(k, s->list[i].includes, s->list[i].include_capacity * sizeof(include));
    s->count = s->release_count = s->block_used = 0;
    if (s->by_key) memset(s->by_key, 0, s->key_room * sizeof *s->by_key);
    if (s->by_block) memset(s->by_block, 0, s->block_room * sizeof *s->by_block);
}

void sync_set_free(race_worker *k, sync_set *s)
{
    sync_set_clear(k, s);
    race_memory_free(k, s->list, s->capacity * sizeof *s->list);
    race_memory_free(k, s->by_key, s->key_room * sizeof *s->by_key);
    race_memory_free(k, s->releases, s->release_capacity * sizeof *s->releases);
    race_memory_free(k, s->by_block, s->block_room * sizeof *s->by_block);
    memset(s, 0, sizeof *s);
}

/* ---- the question ---- */

static bool covers(const release *r, uint32_t warp_index, uint32_t lane, uint32_t time)
{
    if (time <= r->p.all) return true;
    if (r->p.wide && time <= r->p.more[warp_index * 32 + lane]) return true;
    return r->warp == warp_index && (time <= r->p.warp || ((r->lanes >> lane & 1) && time <= r->p.own));
}

/* Did the block release at this location, before place `place`, what it had done at `time`? */
static bool released(const sync_set *s, uint32_t place_of, uint32_t place, uint64_t linear, bool same_block,
                     uint32_t other_warp, uint32_t other_lane, uint32_t time)
{
    const struct block_release *b = find_block(s, linear, place_of);
    int steps = 0;
    for (uint32_t i = b ? b->head : 0; i; i = s->releases[i].older) {
        const release *r = &s->releases[i];
        if (r->place < place && (same_block || r->beyond_block) && covers(r, other_warp, other_lane, time)) return true;
        if (++steps == CHAIN_MOST) return true;
    }
    return false;
}

typedef struct visit {
    uint32_t location, place;
    bool shared;
} visit;

static bool edge_known(const struct block_order *o, const edge *e, uint32_t my_warp, uint32_t me)
{
    return e->thread == ANY_THREAD || knows(o, my_warp, me, e->thread >> 5, e->thread & 31, e->time);
}

bool race_ordered(warp *w, uint32_t me, uint64_t linear, uint32_t time, uint32_t other_warp, uint32_t other_lane)
{
    struct block_order *o = w->block->order;
    bool same = linear == o->linear;
    if (same && knows(o, w->index, me, other_warp, other_lane, time)) return true;
    if (!o->edge_count) return false;
    sync_set *sets[2] = {&o->worker->sync, &o->sync};
    if (sets[0]->full || sets[1]->full) return true;
    for (int i = 0; i < 2; i++)
        if (++sets[i]->query == 0) sets[i]->query = 1;
    visit stack[256];
    int depth = 0, visited = 0;
    for (uint32_t i = o->edge_count; i-- > 0;) {
        const edge *e = &o->edges[i];
        if (!edge_known(o, e, w->index, me)) continue;
        stack[depth++] = (visit){e->location, e->place, e->shared};
        while (depth) {
            visit v = stack[--depth];
            sync_set *s = sets[v.shared];
            location *at = &s->list[v.location];
            if (at->seen_query == s->query && at->seen_place >= v.place) continue;
            at->seen_query = s->query;
            at->seen_place = v.place;
            if ((!v.shared || same) && released(s, v.location, v.place, linear, same, other_warp, other_lane, time))
                return true;
            if (++visited > SEARCH_MOST) return true;
            for (uint32_t j = at->include_count; j-- > 0;) {
                const include *in = &at->includes[j];
                if (in->at >= v.place) continue;
                const location *next = &sets[in->shared]->list[in->location];
                if (next->seen_query == sets[in->shared]->query && next->seen_place >= in->place) continue;
                if (depth == 256) return true;
                stack[depth++] = (visit){in->location, in->place, in->shared};
            }
        }
    }
    return false;
}

static bool make_published(struct block_order *o)
{
    if (o->fenced) return true;
    for (int i = 0; i < 2; i++)
        if (!o->pub[i]) o->pub[i] = race_memory(o->worker, o->warps * 32 * sizeof(published));
    o->fenced = o->pub[0] && o->pub[1];
    return o->fenced;
}

/* All that a thread knows, by thread. */
static void fill_known(const struct block_order *o, uint32_t my_warp, uint32_t me, uint32_t *out)
{
    for (uint32_t v = 0; v < o->warps; v++) {
        uint32_t base = o->named ? larger(o->full, o->known[my_warp][v]) : o->full;
        for (uint32_t u = 0; u < 32; u++) out[v * 32 + u] = base;
    }
    const struct warp_order *wo = &o->warp[my_warp];
    for (uint32_t u = 0; u < 32; u++) {
        uint32_t *to = &out[my_warp * 32 + u];
        *to = larger(*to, wo->full);
        if (wo->partial) *to = larger(*to, wo->known[me][u]);
    }
}

static void publish(warp *w, uint32_t lanes, bool beyond_block)
{
    struct block_order *o = w->block->order;
    if (!make_published(o)) return;
    bool wide = o->named || o->warp[w->index].partial;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t me = (uint32_t)first_lane(m);
        for (int level = 0; level <= (int)beyond_block; level++) {
            published *p = &o->pub[level][w->index * 32 + me];
            p->own = o->time;
            p->warp = o->warp[w->index].full;
            p->all = o->full;
            p->wide = false;
            if (!wide) continue;
            if (!p->more) p->more = race_memory(o->worker, o->warps * 32 * sizeof *p->more);
            if (!p->more) continue;
            fill_known(o, w->index, me, p->more);
            p->wide = true;
        }
    }
    o->fences = true;
    race_advance(o);
}

/* Do other blocks see what is ordered at this scope? Blocks of a cluster do at its scope, and only those should. */
static bool is_beyond(const struct block_order *o, uint32_t scope)
{
    return (scope & ORDER_SCOPE_SYS) >= (o->clustered ? ORDER_SCOPE_CLUSTER : ORDER_SCOPE_GPU);
}

void watch_fence(warp *w, const insn *in, uint32_t scope)
{
    (void)in;
    if (w->block->order) publish(w, w->mask, is_beyond(w->block->order, scope));
}

/* A full barrier: from now on every thread has what any thread published. */
static void share_published(struct block_order *o, int level)
{
    const published *pub = o->pub[level];
    uint32_t threads = o->b->threads, all = o->shown_all[level], least = UINT32_MAX;
    for (uint32_t t = 0; t < threads; t++) {
        all = larger(all, pub[t].all);
        if (pub[t].own < least) least = pub[t].own;
    }
    all = larger(all, least);
    o->shown_all[level] = all;
    if (!o->shown[level]) o->shown[level] = race_memory(o->worker, o->warps * 32 * sizeof(uint32_t));
    uint32_t *v = o->shown[level];
    if (!v) return;
    for (uint32_t t = 0; t < threads; t++) {
        v[t] = larger(v[t], pub[t].own);
        if (pub[t].warp > all)
            for (uint32_t u = 0; u < 32; u++) v[(t & ~31u) + u] = larger(v[(t & ~31u) + u], pub[t].warp);
        if (pub[t].wide)
            for (uint32_t u = 0; u < o->warps * 32; u++) v[u] = larger(v[u], pub[t].more[u]);
    }
    o->shown_one[level] = NOBODY;
    for (uint32_t t = 0; t < threads; t++)
        if (v[t] > all) o->shown_one[level] = o->shown_one[level] == NOBODY ? t : SEVERAL;
}

/* ---- barriers ---- */

/* A full barrier makes everything acquired before it known to all threads: one edge per location is
 * enough. */
static void fold_edges(struct block_order *o)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < o->edge_count; i++) {
        edge e = o->edges[i];
        uint32_t j = 0;
        while (j < kept && (o->edges[j].location != e.location || o->edges[j].shared != e.shared)) j++;
        if (j == kept) o->edges[kept++] = (edge){ANY_THREAD, 0, e.location, e.place, e.shared};
        else o->edges[j].place = larger(o->edges[j].place, e.place);
    }
    o->edge_count = kept;
}

static void warp_meets(struct block_order *o, uint32_t index, uint32_t lanes, uint32_t live)
{
    struct warp_order *wo = &o->warp[index];
    if ((lanes & live) == live) {
        wo->full = o->time;
        return;
    }
    if (!wo->partial) memset(wo->known, 0, sizeof wo->known);
    wo->partial = true;
    uint32_t joined[32] = {0};
    for (uint32_t m = lanes; m; m &= m - 1) {
        const uint32_t *from = wo->known[first_lane(m)];
        for (int u = 0; u < 32; u++) joined[u] = larger(joined[u], from[u]);
    }
    for (uint32_t m = lanes; m; m &= m - 1) joined[first_lane(m)] = o->time;
    for (uint32_t m = lanes; m; m &= m - 1) memcpy(wo->known[first_lane(m)], joined, sizeof joined);
}

static bool make_known(struct block_order *o)
{
    if (!o->known) o->known = race_memory(o->worker, sizeof *o->known * 32);
    o->named = o->known != NULL;
    return o->named;
}

static void full_barrier(struct block_order *o)
{
    if (o->fences) {
        share_published(o, 0);
        share_published(o, 1);
        o->fences = false;
    }
    if (o->edge_count) fold_edges(o);
    o->full = o->last_meeting = o->time;
    o->full_epoch = o->last_epoch;
    race_advance(o);
    interval_next(o);
}

void watch_block_barrier(block *b, uint32_t id, const uint32_t *lanes, bool everyone)
{
    struct block_order *o = b->order;
    if (!o || id > 15) return;
    bool arrivals = o->arrived[id].any;
    if ((everyone && !arrivals) || !make_known(o)) {
        o->arrived[id].any = false;
        full_barrier(o);
        return;
    }
    uint32_t joined[32] = {0}, waits[32] = {0};
    for (uint32_t i = 0; i < o->warps; i++) {
        waits[i] = arrivals ? lanes[i] & ~o->arrived[id].lanes[i] : lanes[i];
        if (arrivals) joined[i] = larger(joined[i], o->arrived[id].known[i]);
        if (!waits[i]) continue;
        for (uint32_t v = 0; v < o->warps; v++) joined[v] = larger(joined[v], o->known[i][v]);
        joined[i] = o->time;
    }
    for (uint32_t i = 0; i < o->warps; i++) {
        if (!waits[i]) continue;
        warp_meets(o, i, waits[i], b->warps[i].live);
        for (uint32_t v = 0; v < o->warps; v++) o->known[i][v] = larger(o->known[i][v], joined[v]);
    }
    if (arrivals) memset(&o->arrived[id], 0, sizeof o->arrived[id]);
    o->last_meeting = o->time;
    race_advance(o);
}

/* A warpgroup's product begins when its four warps have issued it, and reads for all of them: who waits
 * for it, a single thread even, speaks for the group. */
void watch_warpgroup(block *b, uint32_t first, uint32_t count)
{
    struct block_order *o = b->order;
    if (!o || !make_known(o)) return;
    uint32_t joined[32] = {0};
    for (uint32_t i = first; i < first + count; i++) {
        for (uint32_t v = 0; v < o->warps; v++) joined[v] = larger(joined[v], o->known[i][v]);
        joined[i] = o->time;
    }
    for (uint32_t i = first; i < first + count; i++) {
        warp_meets(o, i, b->warps[i].live, b->warps[i].live);
        for (uint32_t v = 0; v < o->warps; v++) o->known[i][v] = larger(o->known[i][v], joined[v]);
    }
    o->last_meeting = o->time;
    race_advance(o);
}

void watch_barrier_arrive(warp *w, uint32_t id)
{
    struct block_order *o = w->block->order;
    if (!o || id > 15 || !make_known(o)) return;
    o->arrived[id].any = true;
    o->arrived[id].lanes[w->index] |= w->mask;
    for (uint32_t v = 0; v < o->warps; v++)
        o->arrived[id].known[v] = larger(o->arrived[id].known[v], o->known[w->index][v]);
    o->arrived[id].known[w->index] = o->time;
    o->last_meeting = o->time;
    race_advance(o);
}

void watch_warp_barrier(warp *w, uint32_t lanes)
{
    struct block_order *o = w->block->order;
    if (!o) return;
    warp_meets(o, w->index, lanes, w->live);
    o->last_meeting = o->time;
    race_advance(o);
}

/* ---- releases and acquires ---- */

static void add_include(race_worker *k, sync_set *s, uint32_t to, const include *in)
{
    location *at = &s->list[to];
    for (uint32_t i = at->include_count; i-- > 0;)
        if (at->includes[i].location == in->location && at->includes[i].shared == in->shared) {
            if (at->includes[i].place >= in->place) return;
            break;
        }
    if (!grow(k, &at->includes, &at->include_capacity, at->include_count, sizeof *at->includes)) {
        s->full = true;
        return;
    }
    at->includes[at->include_count++] = *in;
}

/* A thread that acquires this release acquires what the releasing thread had acquired before. A
 * location in a block's shared memory means nothing to other blocks; what it leads to does. */
static void include_edges(warp *w, uint32_t me, sync_set *s, uint32_t to, bool shared)
{
    struct block_order *o = w->block->order;
    uint32_t at = s->list[to].count;
    for (uint32_t i = 0; i < o->edge_count; i++) {
        const edge *e = &o->edges[i];
        if ((e->location == to && e->shared == shared) || !edge_known(o, e, w->index, me)) continue;
        if (shared || !e->shared) {
            add_include(o->worker, s, to, &(include){e->location, e->place, at, e->shared});
            continue;
        }
        const location *from = &o->sync.list[e->location];
        for (uint32_t j = 0; j < from->include_count; j++)
            if (!from->includes[j].shared && from->includes[j].at < e->place)
                add_include(o->worker, s, to,
                            &(include){from->includes[j].location, from->includes[j].place, at, false});
    }
}

static void append(race_worker *k, sync_set *s, uint32_t to, const release *wanted, const struct block_order *o)
{
    struct block_release *b = make_block(k, s, o->linear, to);
    if (!b || !grow(k, &s->releases, &s->release_capacity, s->release_count + 1, sizeof *s->releases)) {
        s->full = true;
        return;
    }
    int tries = 4;
    for (uint32_t i = b->head; i && tries && !wanted->p.wide; i = s->releases[i].older, tries--) {
        const release *r = &s->releases[i];
        if (r->warp == wanted->warp && (wanted->lanes & ~r->lanes) == 0 && r->p.own == wanted->p.own &&
            r->p.warp == wanted->p.warp && r->p.all == wanted->p.all && r->beyond_block >= wanted->beyond_block)
            return; /* nothing new: a thread that polls with atomics */
    }
    release *r = &s->releases[++s->release_count];
    *r = *wanted;
    r->block_linear = o->linear;
    r->place = s->list[to].count;
    r->older = b->head;
    b->head = s->release_count;
}

/* What lane `me` has published at a level beyond the release record's own fields, by thread; NULL:
 * nothing. */
static uint32_t *published_more(warp *w, uint32_t me, int level, uint32_t lanes, bool shared)
{
    struct block_order *o = w->block->order;
    const published *mine = &o->pub[level][w->index * 32 + me];
    uint32_t one = o->shown_one[level];
    bool shown = one == SEVERAL || (one != NOBODY && (one >> 5 != w->index || !(lanes >> (one & 31) & 1)));
    bool handed = false; /* acquired through shared memory, unseen by other blocks: listed */
    for (uint32_t i = 0; !shared && i < o->edge_count; i++) handed = handed || o->edges[i].shared;
    if (!shown && !o->named && !mine->wide && !handed) return NULL;
    race_worker *k = o->worker;
    if (!grow(k, &k->kept, &k->kept_capacity, k->kept_count, sizeof *k->kept)) return NULL;
    uint32_t threads = o->warps * 32;
    uint32_t *v = race_memory(k, threads * sizeof *v);
    if (!v) return NULL;
    k->kept[k->kept_count++] = v;
    for (uint32_t t = 0; t < threads; t++) {
        if (o->shown[level]) v[t] = o->shown[level][t];
        if (mine->wide) v[t] = larger(v[t], mine->more[t]);
        uint32_t own = o->pub[level][t].own;
        if (own > v[t] && t < o->b->threads && knows(o, w->index, me, t >> 5, t & 31, own)) v[t] = own;
    }
    for (uint32_t i = 0; handed && i < o->edge_count; i++) {
        const edge *e = &o->edges[i];
        if (!e->shared || !edge_known(o, e, w->index, me)) continue;
        const struct block_release *b = find_block(&o->sync, o->linear, e->location);
        for (uint32_t j = b ? b->head : 0; j; j = o->sync.releases[j].older) {
            const release *r = &o->sync.releases[j];
            if (r->place >= e->place) continue;
            for (uint32_t t = 0; t < threads; t++) {
                v[t] = larger(v[t], r->p.wide ? larger(r->p.more[t], r->p.all) : r->p.all);
                if (t >> 5 != r->warp) continue;
                v[t] = larger(v[t], r->p.warp);
                if (r->lanes >> (t & 31) & 1) v[t] = larger(v[t], r->p.own);
            }
        }
    }
    return v;
}

/* Records what the lanes of a warp release at a location, at one level: one record per time of
 * publishing among the lanes that the releasing ones know of. */
static void release_level(warp *w, uint32_t lanes, int level, sync_set *s, uint32_t to, bool shared)
{
    struct block_order *o = w->block->order;
    const published *pub = &o->pub[level][w->index * 32];
    uint32_t me = (uint32_t)first_lane(lanes), left = 0;
    for (uint32_t u = 0; u < 32; u++) {
        bool is_known = lanes >> u & 1;
        for (uint32_t m = lanes; m && !is_known; m &= m - 1)
            is_known = knows(o, w->index, (uint32_t)first_lane(m), w->index, u, pub[u].own);
        if (is_known && pub[u].own > o->start) left |= 1u << u;
    }
    if (!left && o->shown_all[level] <= o->start) return;
    uint32_t *more = published_more(w, me, level, left, shared);
    do {
        release r = {.warp = (uint8_t)w->index,
                     .beyond_block = level == 1,
                     .p = {.all = o->shown_all[level], .more = more, .wide = more != NULL}};
        if (left) r.p.own = pub[first_lane(left)].own;
        for (uint32_t m = left; m; m &= m - 1) {
            const published *p = &pub[first_lane(m)];
            if (p->own != r.p.own) continue;
            r.lanes |= 1u << first_lane(m);
            r.p.warp = larger(r.p.warp, p->warp);
            r.p.all = larger(r.p.all, p->all);
        }
        left &= ~r.lanes;
        append(o->worker, s, to, &r, o);
    } while (left);
}

static void release_at(warp *w, uint32_t lanes, sync_set *s, uint64_t key, bool shared)
{
    struct block_order *o = w->block->order;
    if (!o->fenced) return;
    uint32_t to = make_location(o->worker, s, key);
    if (to == UINT32_MAX) {
        s->full = true;
        return;
    }
    uint32_t before = s->release_count;
    if (!shared) release_level(w, lanes, 1, s, to, shared);
    release_level(w, lanes, 0, s, to, shared);
    if (s->release_count == before) return;
    for (uint32_t m = lanes; m && o->edge_count; m &= m - 1) include_edges(w, (uint32_t)first_lane(m), s, to, shared);
    s->list[to].count++;
}

/* The thread acquires what was released at location `at` before `place`. */
static void acquire_before(warp *w, uint32_t me, uint32_t at, uint32_t place, bool shared)
{
    struct block_order *o = w->block->order;
    uint32_t thread = w->index * 32 + me;
    if (!o->latest) o->latest = race_memory(o->worker, o->warps * 32 * sizeof *o->latest);
    if (o->latest && o->latest[thread] < o->edge_count) { /* frequent for a thread that polls */
        const edge *e = &o->edges[o->latest[thread]];
        if (e->thread == thread && e->location == at && e->shared == shared && e->place >= place) return;
    }
    for (uint32_t i = o->edge_count; i-- > 0;) {
        edge *e = &o->edges[i];
        if (e->location != at || e->shared != shared || (e->thread != thread && e->thread != ANY_THREAD)) continue;
        if (e->place >= place) return;
        if (e->thread == ANY_THREAD || e->time <= o->last_meeting) continue;
        e->place = place; /* no thread can have learned of the older one alone */
        e->time = o->time;
        if (o->latest) o->latest[thread] = i;
        return;
    }
    if (!grow(o->worker, &o->edges, &o->edge_capacity, o->edge_count, sizeof *o->edges)) {
        o->sync.full = true;
        return;
    }
    if (o->latest) o->latest[thread] = o->edge_count;
    o->edges[o->edge_count++] = (edge){thread, o->time, at, place, shared};
}

static void acquire_at(warp *w, uint32_t me, const sync_set *s, uint64_t key, bool shared)
{
    const uint32_t at = find_location(s, key);
    if (at != UINT32_MAX && s->list[at].count) acquire_before(w, me, at, s->list[at].count, shared);
}

/* ---- clusters: their barrier, and words of their blocks' shared memory, are locations as in global memory ---- */

static uint64_t cluster_key(const cluster *c) { return SHARED_KEY | UINT64_C(1) << 62 | c->number; }

static uint64_t cluster_word(const block *of, uint64_t offset)
{
    return SHARED_KEY | (of->linear << CLUSTER_SHIFT & ~(UINT64_C(3) << 62)) | offset;
}

void watch_cluster_arrive(warp *w, bool relaxed)
{
    struct block_order *o = w->block->order;
    if (!o) return;
    if (!relaxed) publish(w, w->mask, true);
    release_at(w, w->mask, &o->worker->sync, cluster_key(w->block->cluster), false);
}

void watch_cluster_met(cluster *c)
{
    const block *b = NULL;
    for (uint32_t i = 0; i < c->count && !b; i++) b = c->member[i];
    if (!b || !b->order) return;
    const sync_set *s = &b->order->worker->sync;
    const uint32_t at = find_location(s, cluster_key(c));
    c->order_place = at == UINT32_MAX ? 0 : s->list[at].count;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->member[i]) c->member[i]->order->waited = 0, c->met[i] = c->member[i]->order->time;
}

/* All threads of the block have acquired what its edges at this location say. */
static void share_edges(struct block_order *o, uint32_t at, uint32_t place)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < o->edge_count; i++)
        if (o->edges[i].location != at || o->edges[i].shared || o->edges[i].place > place)
            o->edges[kept++] = o->edges[i];
    if (kept < o->edge_capacity) o->edges[kept++] = (edge){ANY_THREAD, 0, at, place, false};
    o->edge_count = kept;
}

void watch_cluster_wait(warp *w, uint32_t lanes)
{
    struct block_order *o = w->block->order;
    const cluster *c = w->block->cluster;
    if (!o || !c->order_place) return;
    const uint32_t at = find_location(&o->worker->sync, cluster_key(c)), place = c->order_place, had = o->edge_count;
    for (uint32_t m = lanes; m; m &= m - 1) acquire_before(w, (uint32_t)first_lane(m), at, place, false);
    o->waited += (uint32_t)count_lanes(lanes);
    if (o->waited >= w->block->live_threads && (had || o->edge_count)) share_edges(o, at, place);
}

void race_synchronise(warp *w, const access *a)
{
    struct block_order *o = w->block->order;
    const bool in_block = a->space == SPACE_SHARED, shared = in_block && !o->clustered;
    sync_set *s = shared ? &o->sync : &o->worker->sync;
    uint32_t order = a->order & ORDER_MASK;
    const code_module *code = o->worker->state->l->code;
    const ptx_insn *src = code->info[a->in - code->insns].src;
    bool barrier_object = src && src->op == OP_MBARRIER;
    /* A barrier object is released by arrivals and acquired by tests; an arrival alone knows
     * nothing of the others. */
    bool writes = a->kind != ACCESS_READ && (!barrier_object || order >= ORDER_RELEASE || a->arrives);
    bool reads = a->kind != ACCESS_WRITE &&
                 !(barrier_object && (order == ORDER_RELEASE || a->arrives || order == ORDER_VOLATILE));
    if (writes && order >= ORDER_RELEASE)
        publish(w, a->mask, is_beyond(o, a->order) || (barrier_object && o->clustered));
    if (!o->fenced && !s->count) return;
    for (uint32_t left = a->mask; left;) {
        int first = first_lane(left);
        uint32_t together = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (a->address[first_lane(m)] == a->address[first]) together |= 1u << first_lane(m);
        left &= ~together;
        uint64_t key = a->address[first];
        if (in_block) key = shared ? key | SHARED_KEY : cluster_word(access_block(w, a), key);
        if (writes) release_at(w, together, s, key, shared);
        if (!reads || !s->count) continue;
        for (uint32_t m = together; m; m &= m - 1) acquire_at(w, (uint32_t)first_lane(m), s, key, shared);
    }
}
