/* quick.c: loads and stores of shared memory, as the race checker and the check for unwritten
 * memory see them while nothing is wrong. check/interval.c says what a tag is.
 *
 * Both functions mark the words of one access and log it. They return false when the checkers must
 * look themselves: something may be wrong, or tags do not cover the access. Part of load_store.c.
 */
#include "check/interval.h"
#include "lanes.h"

enum { QUICK_WATCH = WATCH_INIT | WATCH_RACE | WATCH_BET }; /* the watchers that these serve */

static inline uint32_t tag_after_read(uint32_t tag, uint32_t base, uint32_t me)
{
    return tag < base ? me : (tag & ~(uint32_t)TAG_WRITTEN) == me ? tag : base | TAG_MANY;
}

/* Not 0: two threads touch this word, and one of them writes. */
static inline uint32_t tag_read_meets(uint32_t tag, uint32_t base, uint32_t me)
{
    return tag >= base && (tag & ~(uint32_t)TAG_WRITTEN) != me ? tag & TAG_WRITTEN : 0;
}
static inline uint32_t tag_write_meets(uint32_t tag, uint32_t base, uint32_t me)
{
    return tag >= base && (tag & ~(uint32_t)TAG_WRITTEN) != me;
}

/* Sixteen lanes read or write consecutively, 4 << each bytes per lane, `words` words in all. */
static inline uint32_t tag_run_read(uint32_t *tag, uint32_t words, uint32_t base, uint32_t thread, uint32_t each)
{
    uint32_t bad = 0;
    for (uint32_t from = 0; from < words; from += 16, tag += 16)
        for (uint32_t i = 0; i < 16; i++) {
            const uint32_t me = base | (thread + ((from + i) >> each)), is = tag[i];
            bad |= tag_read_meets(is, base, me);
            tag[i] = tag_after_read(is, base, me);
        }
    return bad;
}
static inline uint32_t tag_run_write(uint32_t *tag, uint32_t words, uint32_t base, uint32_t thread, uint32_t each)
{
    uint32_t bad = 0;
    for (uint32_t from = 0; from < words; from += 16, tag += 16)
        for (uint32_t i = 0; i < 16; i++) {
            const uint32_t me = base | (thread + ((from + i) >> each));
            bad |= tag_write_meets(tag[i], base, me);
            tag[i] = me | TAG_WRITTEN;
        }
    return bad;
}

/* Several threads read each of these words. */
static inline uint32_t tag_shared_run(uint32_t *tag, uint32_t words, uint32_t base)
{
    uint32_t bad = 0;
    for (uint32_t from = 0; from < words; from += 16, tag += 16)
        for (uint32_t i = 0; i < 16; i++) {
            bad |= tag[i] >= base ? tag[i] & TAG_WRITTEN : 0;
            tag[i] = base | TAG_MANY;
        }
    return bad;
}
static inline uint32_t tag_shared_words(uint32_t *tag, uint32_t words, uint32_t base)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < words; i++) {
        bad |= tag[i] >= base ? tag[i] & TAG_WRITTEN : 0;
        tag[i] = base | TAG_MANY;
    }
    return bad;
}

/* ---- which bytes were written, one bit per byte ---- */

/* 64 bits from bit `at` on; they may not reach beyond the map. */
static inline uint64_t bits_at(const uint64_t *map, uint32_t at)
{
    const uint32_t shift = at & 63;
    return shift ? map[at >> 6] >> shift | map[(at >> 6) + 1] << (64 - shift) : map[at >> 6];
}
static inline bool run_written(const uint64_t *map, uint32_t at, uint32_t bytes)
{
    uint64_t all = UINT64_MAX;
    for (uint32_t done = 0; done < bytes; done += 64) all &= bits_at(map, at + done);
    return !~all;
}
static inline bool word_written(const uint64_t *map, uint32_t at, uint32_t bytes)
{
    const uint64_t ones = (UINT64_C(1) << bytes) - 1;
    return (map[at >> 6] >> (at & 63) & ones) == ones;
}
static inline void run_mark(uint64_t *map, uint32_t at, uint32_t bytes)
{
    for (uint32_t done = 0; done < bytes; done += 64, at += 64) {
        const uint32_t shift = at & 63;
        map[at >> 6] |= UINT64_MAX << shift;
        if (shift) map[(at >> 6) + 1] |= UINT64_MAX >> (64 - shift);
    }
}
/* Any number of bytes; init_all says whether they were written. */
static inline void span_mark(uint64_t *map, uint32_t at, uint32_t bytes)
{
    for (uint32_t end = at + bytes, next; at < end; at = next) {
        next = (at | 63) + 1;
        const uint64_t from = UINT64_MAX << (at & 63);
        map[at >> 6] |= next > end ? from & UINT64_MAX >> (next - end) : from;
    }
}

/* ---- accesses ---- */

static inline logged *quick_log(struct warp *w, const insn *in, uint32_t more, uint32_t mask, uint32_t size,
                                bool writes)
{
    block *b = w->block;
    interval *t = b->interval;
    if (SIM_UNLIKELY(t->used + sizeof(logged) + more > t->capacity) && !interval_grow(b)) return NULL;
    logged *g = (logged *)(void *)(t->log + t->used);
    t->used += sizeof *g + more;
    g->in = in;
    g->time = *t->time;
    g->mask = mask;
    g->warp = (uint8_t)w->index;
    g->size = (uint8_t)size;
    g->kind = writes ? ACCESS_WRITE : ACCESS_READ;
    return g;
}

static inline bool quick_exact(struct warp *w)
{
    interval_break(w->block);
    return false;
}

/* All lanes; in each half consecutively from at[half], or all at it. */
static bool quick_halves(struct warp *w, const insn *in, uint32_t low, uint32_t high, uint32_t size, bool run,
                         bool writes)
{
    block *b = w->block;
    interval *t = b->interval;
    const uint32_t base = t->base, each = size >> 3, bytes = run ? 16 * size : size, thread = w->index * 32;
    uint32_t *a = &t->tag[low >> 2], *c = &t->tag[high >> 2], bad;
    if (size < 4 || in->order != ORDER_WEAK || (writes && (!run || low == high))) return quick_exact(w);
    if (w->watch & WATCH_INIT) {
        uint64_t *map = b->shared_init;
        if (writes) {
            run_mark(map, low, bytes);
            run_mark(map, high, bytes);
        } else if (run ? !run_written(map, low, bytes) || !run_written(map, high, bytes)
                       : !word_written(map, low, bytes) || !word_written(map, high, bytes)) {
            return quick_exact(w);
        }
    }
    const uint32_t words = bytes >> 2;
    if (!run) bad = tag_shared_words(a, words, base) | (low == high ? 0 : tag_shared_words(c, words, base));
    else if (writes)
        bad = tag_run_write(a, words, base, thread, each) | tag_run_write(c, words, base, thread + 16, each);
    else if (low == high) bad = tag_shared_run(a, words, base);
    else bad = tag_run_read(a, words, base, thread, each) | tag_run_read(c, words, base, thread + 16, each);
    logged *g = bad ? NULL : quick_log(w, in, 0, UINT32_MAX, size, writes);
    if (SIM_UNLIKELY(!g)) return quick_exact(w);
    g->step = (uint8_t)(run ? size : 0);
    g->halves = true;
    g->where[0] = low;
    g->where[1] = high;
    return true;
}

/* One word per lane, word[l]. Inactive lanes have words of their own that nothing reads. */
static inline bool tag_lanes(uint32_t *tag, const uint32_t *word, const uint32_t *on, uint32_t base, uint32_t thread,
                             bool writes)
{
    uint32_t is[32], next[32], bad = 0, twice = 0;
    for (int l = 0; l < 32; l++) is[l] = tag[word[l]];
    for (uint32_t l = 0; l < 32; l++) {
        const uint32_t me = base | (thread + l);
        bad |= (writes ? tag_write_meets(is[l], base, me) : tag_read_meets(is[l], base, me)) & on[l];
        next[l] = writes ? me | TAG_WRITTEN : tag_after_read(is[l], base, me);
    }
    if (bad) return false;
    for (int l = 0; l < 32; l++) tag[word[l]] = next[l];
    for (int l = 0; l < 32; l++) twice |= tag[word[l]] ^ next[l]; /* another lane has this word */
    if (SIM_LIKELY(!twice)) return true;
    if (writes) return false;
    for (int l = 0; l < 32; l++)
        if (tag[word[l]] != next[l]) tag[word[l]] = base | TAG_MANY;
    return true;
}

/* The lanes of the mask, each at at[l]. */
static bool quick_lanes(struct warp *w, const insn *in, const uint64_t *at, uint32_t size, bool writes)
{
    block *b = w->block;
    interval *t = b->interval;
    const uint32_t *on = w->lane;
    uint32_t word[32], outside = t->words;
    if (size < 4 || in->order != ORDER_WEAK) return quick_exact(w);
    for (uint32_t l = 0; l < 32; l++) word[l] = on[l] ? (uint32_t)at[l] >> 2 : outside + l;
    if (w->watch & WATCH_INIT) {
        uint64_t *map = b->shared_init, all = UINT64_MAX;
        const uint64_t ones = (UINT64_C(1) << size) - 1;
        for (uint32_t l = 0; l < 32; l++) all &= map[at[l] >> 6] >> (at[l] & 63); /* idle lanes repeat an active one */
        if ((all & ones) != ones) {
            if (!writes) return quick_exact(w);
            for (uint32_t l = 0; l < 32; l++) map[at[l] >> 6] |= ones << (at[l] & 63);
        }
    }
    logged *g = quick_log(w, in, 32 * sizeof(uint16_t), w->mask, size, writes);
    if (SIM_UNLIKELY(!g)) return quick_exact(w);
    g->halves = false;
    uint16_t *to = (uint16_t *)(void *)(g + 1);
    for (int l = 0; l < 32; l++) to[l] = (uint16_t)word[l];
    for (uint32_t k = 0; k < size >> 2; k++) {
        if (SIM_UNLIKELY(!tag_lanes(t->tag, word, on, t->base, w->index * 32, writes))) {
            t->used -= sizeof *g + 32 * sizeof *to;
            return quick_exact(w);
        }
        for (int l = 0; l < 32; l++) word[l] += on[l] & 1;
    }
    return true;
}
