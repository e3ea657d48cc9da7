/* interval.c: most blocks use shared memory without any race, and this sees so at little cost.
 *
 * From one full barrier to the next, every word of shared memory has a tag: which thread touched
 * it. As long as each word is touched by one thread only, or only read, nothing can race, whatever
 * fences and warp barriers come in between. Loads and stores test and set the tags of a whole
 * access in one vector loop, and log it (exec/quick.c).
 *
 *    31        12    11       10     9      0
 *   | interval  | written | many | thread    |      smaller than the interval's: untouched
 *
 * At the next full barrier log and tags are dropped: it orders all of that before whatever follows.
 * Two threads may touch a word that one of them writes, or an access may come that tags cannot
 * describe (atomic, volatile, narrower than a word). Then the log is replayed into the cells of
 * race.c, which check exactly, from that access to the next full barrier. So reports are the same
 * as with cells alone. A block that often ends up there does without tags for a while.
 */
#include "race_memory.h"

enum { STAMP_MOST = (1 << 20) - 1, LOG_LEAST = 1 << 14, LOG_MOST = 1 << 18, PAUSE_MOST = 255, WORDS_MOST = 1 << 16 };

static size_t tag_bytes(const interval *t) { return ((size_t)t->words + 32) * sizeof *t->tag; }

void interval_free(struct block_order *o)
{
    race_memory_free(o->worker, o->interval.tag, tag_bytes(&o->interval));
    race_memory_free(o->worker, o->interval.log, o->interval.capacity);
}

static bool make(struct block_order *o)
{
    interval *t = &o->interval;
    t->words = o->page_count << (PAGE_BITS - 2);
    if (!t->words || t->words > WORDS_MOST) return false;
    t->time = &o->time;
    t->tag = race_memory(o->worker, tag_bytes(t));
    return t->tag != NULL;
}

void interval_next(struct block_order *o)
{
    interval *t = &o->interval;
    if (o->b->interval && t->used) t->pauses >>= 1;
    t->used = 0;
    o->b->interval = NULL;
    if (o->proxy || o->clustered) return; /* every store is examined */
    if (t->pause) {
        t->pause--;
        return;
    }
    if (!t->tag && !make(o)) return;
    o->b->interval = t;
    if (t->base >> TAG_SHIFT == STAMP_MOST) {
        memset(t->tag, 0, tag_bytes(t));
        t->base = 0;
    }
    t->base += 1u << TAG_SHIFT;
}

bool interval_grow(block *b)
{
    interval *t = b->interval;
    race_worker *k = b->order->worker;
    size_t capacity = t->capacity ? t->capacity * 2 : LOG_LEAST;
    char *bigger = capacity <= LOG_MOST ? race_memory(k, capacity) : NULL;
    if (!bigger) return false;
    if (t->log) memcpy(bigger, t->log, t->used);
    race_memory_free(k, t->log, t->capacity);
    t->log = bigger;
    t->capacity = capacity;
    return true;
}

void interval_break(block *b)
{
    struct block_order *o = b->order;
    interval *t = b->interval;
    const uint32_t now = o->time;
    b->interval = NULL;
    t->pauses = t->pauses < PAUSE_MOST ? 2 * t->pauses + 1 : PAUSE_MOST;
    t->pause = t->pauses;
    for (size_t at = 0; at < t->used;) {
        const logged *g = (const logged *)(const void *)(t->log + at);
        warp *w = &b->warps[g->warp];
        at += sizeof *g;
        o->time = g->time;
        if (g->halves) {
            warp_halves h = {.in = g->in,
                             .at = {g->where[0], g->where[1]},
                             .size = g->size,
                             .step = g->step,
                             .space = SPACE_SHARED,
                             .kind = g->kind,
                             .order = ORDER_WEAK};
            race_halves(w, &h);
            continue;
        }
        const uint16_t *word = (const uint16_t *)(const void *)(g + 1);
        access a = {
            .in = g->in, .mask = g->mask, .size = g->size, .space = SPACE_SHARED, .kind = g->kind, .order = ORDER_WEAK};
        pattern p;
        at += 32 * sizeof *word;
        for (int l = 0; l < 32; l++) a.address[l] = 4 * (uint64_t)word[l];
        watch_see(&p, &a);
        race_access(w, &a, &p);
    }
    o->time = now;
    t->used = 0;
}
