/* init.c: reads of memory that nothing wrote.
 *
 * A bit per byte says whether all of it is known, because it was written: for an allocation in
 * alloc->init (NULL: all is known), for a block's shared memory in shared_init, for the threads'
 * local memory in local_init, lane after lane. Reading a byte without the bit makes the warp
 * careful (unknown.h), or is a fault where the instruction cannot carry unknown bits. A write of
 * known bits, atomic or not, sets it. Host threads that run blocks in parallel share the bitmaps of
 * allocations (the only ones with a base): they change words atomically, and only where a bit is
 * missing.
 */
#include "unknown.h"
#include "unknown_memory.h"
#include <stdlib.h>

static void or_word(uint64_t *p, uint64_t bits, bool parallel)
{
    uint64_t old = init_word(p);
    if ((old & bits) == bits) return;
    if (parallel) atomic_fetch_or_explicit((_Atomic uint64_t *)(void *)p, bits, memory_order_relaxed);
    else atomic_store_explicit((_Atomic uint64_t *)(void *)p, old | bits, memory_order_relaxed);
}

/* The first unwritten byte of `count` from `at` on; `count` when all were written. */
static uint64_t first_unwritten_from(const uint64_t *map, uint64_t at, uint64_t count)
{
    uint64_t done = 0;
    while (done < count) {
        uint64_t here = 64 - ((at + done) & 63);
        if (here > count - done) here = count - done;
        uint64_t missing = ~init_word(&map[(at + done) >> 6]) & init_span(at + done, here);
        if (missing) {
            uint64_t bit = 0;
            while (!(missing >> bit & 1)) bit++;
            return done + bit - ((at + done) & 63);
        }
        done += here;
    }
    return count;
}

static inline uint64_t first_unwritten(const uint64_t *map, uint64_t at, uint64_t count)
{
    uint64_t span = init_span(at, count);
    if ((at & 63) + count <= 64 && (init_word(&map[at >> 6]) & span) == span) return count;
    return first_unwritten_from(map, at, count);
}

static void set_written(uint64_t *map, uint64_t at, uint64_t count, bool parallel)
{
    while (count) {
        uint64_t here = 64 - (at & 63);
        if (here > count) here = count;
        or_word(&map[at >> 6], init_span(at, here), parallel);
        at += here;
        count -= here;
    }
}

static bool raise_unwritten(warp *w, const access *a, int lane, uint32_t lanes, uint64_t missing)
{
    const launch *l = w->worker->launch;
    const char *space = a->space == SPACE_GLOBAL ? "global" : a->space == SPACE_LOCAL ? "local" : "shared";
    char what[160];
    fault_what(w, a->space, a->address[lane] + missing, a->in->size && a->in->size <= a->size ? a->in->size : a->size,
               what, sizeof what);
    sim_place t;
    fault_thread(l, w->block->linear, w->index * 32 + (uint32_t)lane, &t);
    fault_raise(w, a->in, SIM_FAULT_UNINITIALISED, lane, lanes, space, a->address[lane], a->size,
                "thread (%u,%u,%u) of block (%u,%u,%u) reads %s, which was never written", t.thread[0], t.thread[1],
                t.thread[2], t.block[0], t.block[1], t.block[2], what);
    return false;
}

/* ---- one access ---- */

/* The bitmap of an active lane and its offset there; NULL when everything counts as written. */
static uint64_t *map_of(const warp *w, const access *a, int lane, uint64_t *at)
{
    const alloc *al;
    *at = a->address[lane];
    switch (a->space) {
    case SPACE_SHARED: return access_block(w, a)->shared_init;
    case SPACE_LOCAL: *at += (uint64_t)lane * w->local_stride; return w->local_init;
    case SPACE_GLOBAL:
        al = a->al ? a->al : memory_at(&w->worker->launch->s->mem, *at);
        if (!al) return NULL;
        *at -= al->start;
        return al->init;
    default: return NULL;
    }
}

/* A read of bytes that are not all known. False: the access has had no effect. */
static bool unwritten(warp *w, const access *a, int lane, uint32_t lanes, uint64_t missing)
{
    const code_module *m = w->worker->launch->code;
    if (w->watch & WATCH_UNKNOWN) return unknown_access(w, a);
    switch (m->info[a->in - m->insns].src->op) {
    case OP_LD:
    case OP_LDU:
    case OP_ATOM:
    case OP_RED:
    case OP_LDMATRIX: /* it is performed again from the start */
        w->stop = STOP_UNKNOWN;
        w->resume = a->in;
        w->again = true;
        return false;
    case OP_WMMA:
    case OP_TEX:
    case OP_TLD4:
    case OP_SULD: /* it goes on; the next instruction is careful */
        return unknown_begin(w, a->in) && unknown_access(w, a);
    case OP_CP:
        if (a->kind == ACCESS_READ) return true; /* the copy carries the unknown bits along */
        break;
    default: break;
    }
    return raise_unwritten(w, a, lane, lanes, missing);
}

static bool by_lane(warp *w, const access *a, bool reads)
{
    uint32_t bad = 0;
    int first = 0;
    uint64_t missing = 0;
    bool parallel = w->worker->bet != NULL;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        int lane = first_lane(m);
        uint64_t at;
        uint64_t *map = map_of(w, a, lane, &at);
        if (!map) continue;
        if (!reads) {
            set_written(map, at, a->size, parallel);
            continue;
        }
        uint64_t good = first_unwritten(map, at, a->size);
        if (good == a->size) continue;
        if (!bad) {
            first = lane;
            missing = good;
        }
        bad |= 1u << lane;
    }
    return bad ? unwritten(w, a, first, bad, missing) : true;
}

bool init_access(warp *w, const access *a, const pattern *p)
{
    bool reads = a->kind != ACCESS_WRITE;
    if (w->watch & WATCH_UNKNOWN && !unknown_easy(w, a)) return unknown_access(w, a);
    uint64_t base = 0, stride = 0;
    uint64_t *map;
    switch (a->space) {
    case SPACE_GLOBAL:
        if (!a->al) return by_lane(w, a, reads);
        map = a->al->init;
        base = a->al->start;
        break;
    case SPACE_SHARED: map = access_block(w, a)->shared_init; break;
    case SPACE_LOCAL:
        map = w->local_init;
        stride = w->local_stride;
        break;
    default: return true;
    }
    if (!map) return true;
    if (!stride && (p->contiguous || p->uniform)) {
        uint64_t at = p->low - base, count = p->high - p->low;
        if (!reads) set_written(map, at, count, base && w->worker->bet);
        else if (first_unwritten(map, at, count) < count) return by_lane(w, a, reads);
        return true;
    }
    if (a->size > 16 || (a->size & (a->size - 1))) return by_lane(w, a, reads);
    const uint64_t ones = (UINT64_C(1) << a->size) - 1;
    uint64_t all = ones;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)first_lane(m);
        uint64_t at = a->address[l] - base + stride * l;
        if (reads) all &= init_word(&map[at >> 6]) >> (at & 63);
        else or_word(&map[at >> 6], ones << (at & 63), base && w->worker->bet);
    }
    return all == ones || !reads ? true : by_lane(w, a, reads);
}

bool init_halves(const warp *w, const warp_halves *h)
{
    if (w->watch & WATCH_UNKNOWN) return false;
    uint64_t *map = w->block->shared_init, base = 0, count = h->step ? 16 * (uint64_t)h->size : h->size;
    if (h->space == SPACE_GLOBAL) {
        map = h->al->init;
        base = h->al->start;
    } else if (h->space != SPACE_SHARED) {
        return false;
    }
    if (!map) return true;
    if (h->kind == ACCESS_WRITE) {
        const bool parallel = base && w->worker->bet;
        set_written(map, h->at[0] - base, count, parallel);
        set_written(map, h->at[1] - base, count, parallel);
        return true;
    }
    return first_unwritten(map, h->at[0] - base, count) == count &&
           first_unwritten(map, h->at[1] - base, count) == count;
}

bool init_run(const warp *w, uint64_t *map, uint64_t at, uint64_t bytes, enum access_kind kind)
{
    if (w->watch & WATCH_UNKNOWN) return false;
    if (!map) return true;
    if (kind == ACCESS_READ) return first_unwritten(map, at, bytes) == bytes;
    set_written(map, at, bytes, map != w->block->shared_init && w->worker->bet);
    return true;
}

/* ---- starts ---- */

static bool all_written(const uint64_t *map, uint64_t bytes)
{
    uint64_t words = bytes / 64, i = 0;
    while (i < words && map[i] == UINT64_MAX) i++;
    return i == words && (bytes % 64 == 0 || (map[words] & init_span(0, bytes % 64)) == init_span(0, bytes % 64));
}

/* A full bitmap can go. A launch that is not watched may write anything: after it nothing is known
 * to be unwritten. */
void init_launch_start(launch *l)
{
    memory *mem = &l->s->mem;
    bool watched = l->watch & WATCH_INIT;
    for (uint32_t i = 0; i < mem->count; i++) {
        alloc *al = mem->list[i];
        if (!al->init || al->freed || (watched && !all_written(al->init, al->size))) continue;
        free(al->init);
        al->init = NULL;
        known_bits_forget(&al->known_bits);
    }
}

static void forget_all(struct known_bits *d)
{
    if (d) memset(d->known, 0, (size_t)d->bytes);
}

void init_block_start(block *b)
{
    memset(b->shared_init, 0, INIT_WORDS(b->shared_bytes) * 8);
    forget_all(b->known_bits);
    if (b->known_bits)
        memset(b->known_bits->from, 0, ((size_t)b->known_bits->bytes / 4 + 1) * sizeof *b->known_bits->from);
}

void init_warp_start(warp *w)
{
    unknown_reset(w);
    if (!w->local_init) return;
    memset(w->local_init, 0, INIT_WORDS((uint64_t)w->local_stride * 32) * 8);
    forget_all(w->known_bits);
}

void init_block_free(block *b)
{
    known_bits_forget(&b->known_bits);
    for (uint32_t i = 0; b->warps && i < b->warp_count; i++) {
        known_bits_forget(&b->warps[i].known_bits);
        unknown_end(&b->warps[i]);
    }
}

/* ---- a second attempt ---- */

/* What had been written before the first attempt: copies of the bitmaps and doubts that there
 * were. */
struct init_kept {
    uint32_t count;
    struct kept_map {
        alloc *al;
        uint64_t *map;
        struct known_bits *known_bits;
    } list[];
};

void init_launch_forget(launch *l)
{
    if (!l->init_kept) return;
    for (uint32_t i = 0; i < l->init_kept->count; i++) {
        free(l->init_kept->list[i].map);
        known_bits_forget(&l->init_kept->list[i].known_bits);
    }
    free(l->init_kept);
    l->init_kept = NULL;
}

bool init_launch_keep(launch *l)
{
    memory *mem = &l->s->mem;
    init_launch_forget(l);
    struct init_kept *k = calloc(1, sizeof *k + mem->count * sizeof k->list[0]);
    if (!k) return false;
    l->init_kept = k;
    for (uint32_t i = 0; i < mem->count; i++) {
        alloc *al = mem->list[i];
        if (al->freed || !(l->watch & WATCH_INIT)) continue;
        struct kept_map *to = &k->list[k->count++];
        const size_t bytes = (size_t)INIT_WORDS(al->size) * 8;
        to->al = al;
        to->map = al->init ? malloc(bytes) : NULL;
        if ((al->init && !to->map) || !known_bits_keep(al->known_bits, &to->known_bits)) {
            init_launch_forget(l);
            return false;
        }
        if (al->init) memcpy(to->map, al->init, bytes);
    }
    return true;
}

void init_launch_undo(launch *l)
{
    for (uint32_t i = 0; l->init_kept && i < l->init_kept->count; i++) {
        const struct kept_map *k = &l->init_kept->list[i];
        alloc *al = k->al;
        if (k->map && al->init) memcpy(al->init, k->map, (size_t)INIT_WORDS(al->size) * 8);
        if (!k->map) {
            free(al->init);
            al->init = NULL;
        }
        if (k->known_bits) known_bits_back(al->known_bits, k->known_bits);
        else known_bits_forget(&al->known_bits);
    }
}
