/* load_store.c: ld, ldu and st.
 *
 * A load first gathers the bytes of all lanes, `size * count` bytes per lane. It then spreads them
 * to the destination places, widening each element to its type and register. Bytes that are
 * contiguous in memory are spread from there. A store does the reverse. mod2 says how an element
 * widens: enum widen.
 *
 * Every space and size has a fast path for 32 lanes and no checker (access.h); load_any and
 * store_any do the rest.
 */
#include "access.h"
#include "quick.c"
#include "exec.h"

/* How an element in memory becomes a value in a place: WIDEN(id, type in memory, type of the place,
 * value of x). A signed element fills the register it is loaded into, and no more: s8 in a 16-bit
 * register leaves the place's upper half zero. */
#define WIDENINGS(X)                                             \
    X(U8_32, uint8_t, uint32_t, x)                               \
    X(S8_16, uint8_t, uint32_t, (uint16_t)(int8_t)x)             \
    X(S8_32, uint8_t, uint32_t, (uint32_t)(int32_t)(int8_t)x)    \
    X(U8_64, uint8_t, uint64_t, x)                               \
    X(S8_64, uint8_t, uint64_t, (uint64_t)(int64_t)(int8_t)x)    \
    X(U16_32, uint16_t, uint32_t, x)                             \
    X(S16_32, uint16_t, uint32_t, (uint32_t)(int32_t)(int16_t)x) \
    X(U16_64, uint16_t, uint64_t, x)                             \
    X(S16_64, uint16_t, uint64_t, (uint64_t)(int64_t)(int16_t)x) \
    X(U32_32, uint32_t, uint32_t, x)                             \
    X(U32_64, uint32_t, uint64_t, x)                             \
    X(S32_64, uint32_t, uint64_t, (uint64_t)(int64_t)(int32_t)x) \
    X(U64_64, uint64_t, uint64_t, x)
enum widen {
#define WIDEN_ID(id, m, p, e) WIDEN_##id,
    WIDENINGS(WIDEN_ID)
#undef WIDEN_ID
        WIDEN_128
};

/* ---- loads: from contiguous bytes to places ---- */
/* Vectors of 2 and 4 are split in one loop over all their elements, which the compiler turns into
 * shuffles. When some lanes must keep their values, the result goes to `aside` first. */
#define SPREAD_FN(id, m, p, e)                                                                    \
    static inline p widen_##id(m x) { return (p)(e); }                                            \
    static inline void spread_##id(struct warp *w, const insn *in, const char *from)              \
    {                                                                                             \
        const m *s = (const m *)(const void *)from;                                               \
        const uint32_t *on = w->lane;                                                             \
        if (in->count == 1) {                                                                     \
            p *d = DST(p, in->o[0]);                                                              \
            if (SIM_LIKELY(w->full)) LANES d[l] = widen_##id(s[l]);                               \
            else LANES d[l] = on[l] ? widen_##id(s[l]) : d[l];                                    \
            return;                                                                               \
        }                                                                                         \
        _Alignas(64) p aside[4][32];                                                              \
        const bool full = w->full;                                                                \
        p *d0 = full ? DST(p, in->o[0]) : aside[0], *d1 = full ? DST(p, in->o[1]) : aside[1];     \
        if (in->count == 2) {                                                                     \
            LANES                                                                                 \
            {                                                                                     \
                d0[l] = widen_##id(s[2 * l]);                                                     \
                d1[l] = widen_##id(s[2 * l + 1]);                                                 \
            }                                                                                     \
        } else {                                                                                  \
            p *d2 = full ? DST(p, in->o[2]) : aside[2], *d3 = full ? DST(p, in->o[3]) : aside[3]; \
            LANES                                                                                 \
            {                                                                                     \
                d0[l] = widen_##id(s[4 * l]);                                                     \
                d1[l] = widen_##id(s[4 * l + 1]);                                                 \
                d2[l] = widen_##id(s[4 * l + 2]);                                                 \
                d3[l] = widen_##id(s[4 * l + 3]);                                                 \
            }                                                                                     \
        }                                                                                         \
        for (int k = 0; !full && k < in->count; k++) {                                            \
            p *d = DST(p, in->o[k]);                                                              \
            LANES d[l] = on[l] ? aside[k][l] : d[l];                                              \
        }                                                                                         \
    }
WIDENINGS(SPREAD_FN)

static void spread_128(struct warp *w, uint32_t place, const char *from)
{
    for (int l = 0; l < 32; l++)
        if (w->lane[l]) memcpy(w->regs + place + 16 * l, from + 16 * l, 16);
}

/* `from`: 32 lanes x count elements, lane after lane. */
static void spread(struct warp *w, const insn *in, const char *from)
{
    switch ((enum widen)in->mod2) {
#define SPREAD_CASE(id, m, p, e) \
    case WIDEN_##id: spread_##id(w, in, from); break;
        WIDENINGS(SPREAD_CASE)
#undef SPREAD_CASE
    case WIDEN_128: spread_128(w, in->o[0], from);
    }
}

/* Copies each lane's bytes to or from memory. The switch is outside the loop so that each copy is
 * one move. */
#define EACH_SIZE(bytes, STATEMENT) \
    switch (bytes) {                \
    case 1: STATEMENT(1) break;     \
    case 2: STATEMENT(2) break;     \
    case 4: STATEMENT(4) break;     \
    case 8: STATEMENT(8) break;     \
    default: STATEMENT(16)          \
    }

/* Reports what the active lanes are about to do. */
static bool watch_reach(struct warp *w, const insn *in, const reach *r, uint32_t bytes, enum access_kind kind,
                        const void *value)
{
    if (r->space != SPACE_SHARED || !w->block->interval || w->watch & WATCH_UNKNOWN ||
        !quick_lanes(w, in, r->at, bytes, kind == ACCESS_WRITE))
        return memory_watch(w, in, r, bytes, kind, in->order, value, false);
    if (!(w->watch & ~QUICK_WATCH)) return true;
    const uint8_t watch = w->watch;
    w->watch &= (uint8_t)~QUICK_WATCH;
    bool fine = memory_watch(w, in, r, bytes, kind, in->order, value, false);
    w->watch = watch;
    return fine;
}

enum run_end { RUN_NONE, RUN_READY, RUN_STOPPED };

/* Does what watch_run does, faster for words of shared memory. */
static inline bool tell_run(struct warp *w, const insn *in, const alloc *al, const lane_run *r, uint32_t bytes,
                            enum access_kind kind)
{
    if (al || bytes != 4) return watch_run(w, in, al, r->off, bytes, r->first, r->count, kind);
    const uint32_t off = (uint32_t)r->off;
    if (w->watch & WATCH_INIT) {
        uint64_t *map = w->block->shared_init;
        if (kind != ACCESS_READ) span_mark(map, off, 4 * r->count);
        else if (!init_all(map, off, 4 * r->count)) return false;
    }
    if (!(w->watch & WATCH_COUNT)) return true;
    slot_counts *c = &w->worker->slot_counts[in->slot];
    c->requests++;
    c->lanes += r->count;
    c->spaces[1]++;
    c->passes32++;
    c->passes16 += r->first < 16 && r->first + r->count > 16 ? 2 : 1;
    if (!c->worst) c->worst = 1;
    count_lane_bytes(w, w->mask, bytes);
    return true;
}

/* Consecutive lanes: finds them, claims them, and tells counters and the check for unwritten
 * memory. RUN_NONE: not such an access, or a checker must look closer. */
ALWAYS_INLINE enum run_end reach_run(struct warp *w, const insn *in, const int space, const bool wide,
                                     const uint32_t bytes, const enum access_kind kind, lane_run *r)
{
    if (w->watch & ~(WATCH_COUNT | WATCH_INIT) || !find_run(w, in, space, wide, bytes, kind == ACCESS_WRITE, r))
        return RUN_NONE;
    const bool shared = space == SPACE_SHARED;
    alloc *al = shared ? NULL : w->worker->cache[in->slot];
    if (w->watch && !tell_run(w, in, al, r, bytes, kind)) return RUN_NONE;
    if (shared || SIM_LIKELY(!w->worker->launch->bet)) return RUN_READY;
    return bet_run(w, in, al, r->off, r->count * bytes, kind) ? RUN_READY : RUN_STOPPED;
}

/* The same for operations of any kind. */
static enum run_end reach_any_run(struct warp *w, const insn *in, uint32_t bytes, enum access_kind kind, lane_run *r)
{
    if (has_no_base(in) || (in->space != SPACE_GLOBAL && in->space != SPACE_SHARED)) return RUN_NONE;
    return reach_run(w, in, in->space, in->mod & ADDRESS_WIDE, bytes, kind, r);
}

static const insn *load_lanes(struct warp *w, const insn *in)
{
    _Alignas(64) char together[32 * 16];
    const uint32_t bytes = (uint32_t)in->size * in->count;
    reach r;
    if (!reach_lanes(w, in, bytes, ACCESS_READ, &r)) return NULL;
    if (w->watch && !watch_reach(w, in, &r, bytes, ACCESS_READ, NULL)) return NULL;
#define LOAD_LANES(n) \
    for (int l = 0; l < 32; l++) memcpy(together + l * (n), r.host[l], n);
    EACH_SIZE(bytes, LOAD_LANES)
    spread(w, in, together);
    return in + 1;
}

static const insn *load_any(struct warp *w, const insn *in)
{
    _Alignas(64) char together[32 * 16];
    lane_run run;
    const uint32_t bytes = (uint32_t)in->size * in->count;
    note_looks(w, in, in->order != ORDER_WEAK);
    switch (reach_any_run(w, in, bytes, ACCESS_READ, &run)) {
    case RUN_NONE: return load_lanes(w, in);
    case RUN_STOPPED: return NULL;
    case RUN_READY: break;
    }
    memset(together, 0, 32 * bytes); /* idle lanes compute too */
    memcpy(together + run.first * bytes, run.g.host + run.off, run.count * bytes);
    spread(w, in, together);
    return in + 1;
}

/* Lanes that are not consecutive, in shared memory that nobody watches: off[l] is where each active one's n bytes lie,
 * of the others where nobody looks. False: not all of them inside and aligned. */
ALWAYS_INLINE bool some_in_shared(const struct warp *w, const insn *in, const uint32_t n, uint32_t *off)
{
    const shared_part *p = w->worker->part[in->slot];
    if (p->to - p->from < n) return false;
    const uint32_t add = (uint32_t)in->imm, from = p->from, last = p->to - from - n, spare = block_spare(w->block);
    uint32_t inside = 0;
#ifdef VECTOR_BITS
    typedef VECTOR_OF(uint32_t) words;
    const words *a = SRC(words, in->o[4]), *on = (const words *)(const void *)w->lane, none = {0}, most = none + last;
    for (uint32_t l = 0; l < VECTORS(uint32_t); l++) {
        const words at = a[l] + add;
        ((words *)(void *)off)[l] = (at & on[l]) | (spare & ~on[l]);
        inside |= (VECTOR_BITS(uint32_t, LE, at - from, most) & VECTOR_BITS(uint32_t, EQ, at & (n - 1), none))
                  << (32 / VECTORS(uint32_t) * l);
    }
#else
    const uint32_t *a = SRC(uint32_t, in->o[4]), *on = w->lane;
    for (int l = 0; l < 32; l++) off[l] = on[l] ? a[l] + add : spare;
    LANE_BITS(fits, a[l] + add - from <= last && !((a[l] + add) & (n - 1)));
    inside = fits;
#endif
    return !(w->mask & ~inside);
}
#if defined(__GNUC__) && !defined(__clang__)
#define EACH_LANE _Pragma("GCC unroll 8") for (uint32_t l = 0; l < 32; l++)
#else
#define EACH_LANE for (uint32_t l = 0; l < 32; l++)
#endif

/* Copies the elements of some consecutive lanes. A library call, or a compiler's expansion of one,
 * takes longer for so few bytes. */
ALWAYS_INLINE void copy_lanes(char *to, const char *from, uint32_t lanes, const uint32_t n)
{
    uint32_t bytes = lanes * n;
    for (; bytes >= 32; bytes -= 32, to += 32, from += 32) memcpy(to, from, 32);
    if (bytes & 16) memcpy(to, from, 16), to += 16, from += 16;
    if (bytes & 8) memcpy(to, from, 8), to += 8, from += 8;
    if (bytes & 4) memcpy(to, from, 4);
}

/* All active lanes load the same bytes of global memory, such as an entry of a table in a loop that only some lanes
 * take. */
ALWAYS_INLINE bool find_one(const struct warp *w, const insn *in, const bool wide, const uint32_t n, lane_run *r)
{
    const uint32_t *on = w->lane, first = (uint32_t)first_lane(w->mask);
    uint64_t at;
    if (wide) {
        const uint64_t *a = SRC(uint64_t, in->o[4]), same = a[first];
        uint64_t x = 0;
        LANES x |= on[l] ? a[l] ^ same : 0;
        if (x) return false;
        at = same + (uint64_t)in->imm;
    } else {
        const uint32_t *a = SRC(uint32_t, in->o[4]), same = a[first];
        uint32_t x = 0;
        LANES x |= on[l] & (a[l] ^ same);
        if (x) return false;
        at = (uint32_t)(same + (uint32_t)in->imm);
    }
    if (!expect_region(w, in, SPACE_GLOBAL, false, at, &r->g)) return false;
    r->off = at - r->g.start;
    return !(r->off & (n - 1)) && run_inside(r->off, n, &r->g);
}
#define COPY_ONE(type)                   \
    do {                                 \
        type v, *d = (type *)(void *)to; \
        memcpy(&v, from, sizeof v);      \
        LANES d[l] = on[l] ? v : d[l];   \
    } while (0)
ALWAYS_INLINE void copy_one(const struct warp *w, char *to, const char *from, const uint32_t n)
{
    const uint32_t *on = w->lane;
    if (n == 4) COPY_ONE(uint32_t);
    else if (n == 8) COPY_ONE(uint64_t);
    else
        for (uint32_t m = w->mask; m; m &= m - 1) memcpy(to + (uint32_t)first_lane(m) * n, from, n);
}

/* Not all lanes load `n` bytes each; direct: as load_any would, without the intermediate buffer. */
ALWAYS_INLINE const insn *load_some(struct warp *w, const insn *in, const int space, const bool wide, const uint32_t n,
                                    const bool direct)
{
    lane_run run;
    if (!direct || space == SPACE_NONE || in->space != space) return load_any(w, in);
    note_looks(w, in, in->order != ORDER_WEAK);
    switch (reach_run(w, in, space, wide, n, ACCESS_READ, &run)) {
    case RUN_NONE: {
        uint32_t off[32];
        if (space == SPACE_GLOBAL && !w->watch && find_one(w, in, wide, n, &run)) {
            if (w->worker->launch->bet && !bet_run(w, in, w->worker->cache[in->slot], run.off, n, ACCESS_READ))
                return NULL;
            copy_one(w, DST(char, in->o[0]), run.g.host + run.off, n);
            return in + 1;
        }
        if (space != SPACE_SHARED || wide || w->watch || !some_in_shared(w, in, n, off)) return load_lanes(w, in);
        for (uint32_t m = w->mask; m; m &= m - 1) {
            const int l = first_lane(m);
            memcpy(DST(char, in->o[0]) + (uint32_t)l * n, w->block->shared + off[l], n);
        }
        return in + 1;
    }
    case RUN_STOPPED: return NULL;
    case RUN_READY: break;
    }
    copy_lanes(DST(char, in->o[0]) + run.first * n, run.g.host + run.off, run.count, n);
    return in + 1;
}

/* When blocks run in parallel: claims what a fast path is about to touch. False: another host
 * thread has it; a scattered access takes the slow path. */
static inline bool bet_shape(struct warp *w, const insn *in, const region *g, enum shape shape, const uint64_t *off,
                             uint32_t n, enum access_kind kind)
{
    if (shape == SHAPE_LOST || g->start == SHARED_WINDOW) return true;
    alloc *al = w->worker->cache[in->slot];
    if (!(al->tracked & (kind == ACCESS_READ ? TRACK_LOADS : TRACK_STORES)) && !bet_shows(in, al, kind)) return true;
    if (shape == SHAPE_SCATTERED) return false;
    uint32_t run = shape == SHAPE_RUNS ? 16 * n : n;
    if (off[16] == off[0] + run) return bet_run(w, in, al, off[0], 2 * run, kind);
    return bet_run(w, in, al, off[0], run, kind) && bet_run(w, in, al, off[16], run, kind);
}

static inline warp_halves halves_of(const struct warp *w, const insn *in, const region *g, enum shape shape,
                                    uint64_t low, uint64_t high, uint32_t n, enum access_kind kind, const void *value)
{
    const uint64_t base = g->start == SHARED_WINDOW ? 0 : g->start;
    const uint8_t space = in->space ? in->space : g->start == SHARED_WINDOW ? SPACE_SHARED : SPACE_GLOBAL;
    return (warp_halves){.in = in,
                         .at = {base + low, base + high},
                         .size = n,
                         .step = shape == SHAPE_RUNS ? n : 0,
                         .space = space,
                         .kind = (uint8_t)kind,
                         .order = in->order,
                         .al = space == SPACE_SHARED ? NULL : w->worker->cache[in->slot],
                         .value = value};
}

/* Must the bytes that this instruction touches be claimed? */
static inline bool is_claimed(const struct warp *w, const insn *in, uint8_t track)
{
    return w->worker->bet && w->worker->cache[in->slot]->tracked & track;
}

/* Reports what a fast path is about to do. */
static bool tell_shape(struct warp *w, const insn *in, const region *g, enum shape shape, const uint64_t *off,
                       uint32_t n, enum access_kind kind, const void *value)
{
    const warp_halves h = halves_of(w, in, g, shape, off[0], off[16], n, kind, value);
    if (shape != SHAPE_SCATTERED) return watch_halves(w, &h);
    access a;
    for (int l = 0; l < 32; l++) a.address[l] = h.at[0] - off[0] + off[l];
    a.in = in;
    a.mask = UINT32_MAX;
    a.size = n;
    a.space = h.space;
    a.kind = h.kind;
    a.order = h.order;
    a.al = h.al;
    a.value = value;
    a.contiguous = false;
    a.halves = HALVES_ANY;
    a.no_result = a.arrives = false;
    a.of = NULL;
    return watch_access(w, &a);
}

static bool watch_shape(struct warp *w, const insn *in, const region *g, enum shape shape, const uint64_t *off,
                        uint32_t n, enum access_kind kind, const void *value)
{
    const bool shared = in->space == SPACE_SHARED || g->start == SHARED_WINDOW, writes = kind == ACCESS_WRITE;
    if (!shared || !w->block->interval || w->watch & WATCH_UNKNOWN ||
        !(shape == SHAPE_SCATTERED
              ? quick_lanes(w, in, off, n, writes)
              : quick_halves(w, in, (uint32_t)off[0], (uint32_t)off[16], n, shape == SHAPE_RUNS, writes)))
        return tell_shape(w, in, g, shape, off, n, kind, value);
    if (!(w->watch & ~QUICK_WATCH)) return true;
    const uint8_t watch = w->watch;
    w->watch &= (uint8_t)~QUICK_WATCH;
    bool fine = tell_shape(w, in, g, shape, off, n, kind, value);
    w->watch = watch;
    return fine;
}

NEVER_INLINE void tell_clock(const struct warp *w, const insn *in, const region *g, enum shape shape, uint64_t low,
                             uint64_t high, uint32_t n, bool writes)
{
    const warp_halves h = halves_of(w, in, g, shape, low, high, n, writes ? ACCESS_WRITE : ACCESS_READ, NULL);
    watch_note(w->worker->seen, &h);
}

enum { TOLD_QUICKLY = WATCH_COUNT | WATCH_INIT | WATCH_TIME };

/* Accesses of the most common shapes tell the counters and the clock here what watch_halves would,
 * if nothing else is watching. False: watch_shape must tell them. */
ALWAYS_INLINE bool tell_quick(struct warp *w, const insn *in, const region *g, enum shape shape, const uint64_t low,
                              const uint64_t high, const uint32_t n, const bool shared, const bool writes)
{
    const bool run = shape == SHAPE_RUNS, together = high == low + (run ? 16 * n : 0);
    if (n < 4 || shape > SHAPE_RUNS || w->watch & ~TOLD_QUICKLY) return false;
    slot_counts *c = &w->worker->slot_counts[in->slot];
    if (shared) {
        uint64_t *map = w->block->shared_init;
        const uint32_t a = (uint32_t)low, b = (uint32_t)high;
        if (((n != 4 || writes) && !run) || w->block->interval) return false;
        if (w->watch & WATCH_INIT && writes) {
            span_mark(map, a, 16 * n);
            span_mark(map, b, 16 * n);
        } else if (w->watch & WATCH_INIT && !(run ? run_written(map, a, 16 * n) && run_written(map, b, 16 * n)
                                                  : word_written(map, a, n) && word_written(map, b, n)))
            return false;
        if (w->watch & WATCH_TIME) tell_clock(w, in, g, shape, low, high, n, writes);
        if (!(w->watch & WATCH_COUNT)) return true;
        const unsigned words = n / 4, passes = words > 1 ? words : together ? 1 : count_halves_32(low, high, run);
        c->spaces[1]++;
        c->passes32 += passes;
        c->passes16 += 2 * words * words;
        if (passes > c->worst) c->worst = passes;
    } else {
        const uint64_t *map = w->watch & WATCH_INIT ? w->worker->cache[in->slot]->init : NULL;
        if (!together || in->space != SPACE_GLOBAL || (map && (writes || !init_all(map, low, run ? 32 * n : n))))
            return false;
        if (w->watch & WATCH_TIME) tell_clock(w, in, g, shape, low, high, n, writes);
        if (!(w->watch & WATCH_COUNT)) return true;
        const uint64_t at = g->start + low;
        const bool ordered = run && !(at % (16 * n));
        c->spaces[0]++;
        c->bytes += 32 * n;
        w->block->asked += 32 * n;
        c->sectors += run ? ((at & 31) + 32 * n + 31) >> 5 : 1;
        c->strict += !ordered ? 32 : n == 16 ? 4 : 2;
        c->strict_bytes += ordered ? 32 * n : 32 * 32;
    }
    c->requests++;
    c->lanes += 32;
    count_lane_bytes(w, UINT32_MAX, n);
    return true;
}

/* The same for paths that are slow already: one copy for all of them. */
NEVER_INLINE bool tell_far(struct warp *w, const insn *in, const region *g, enum shape shape, const uint64_t *off,
                           uint32_t n, enum access_kind kind, const void *value)
{
    const bool writes = kind == ACCESS_WRITE, shared = in->space == SPACE_SHARED;
    return (shape <= SHAPE_RUNS && (shared || in->space == SPACE_GLOBAL) &&
            tell_quick(w, in, g, shape, off[0], off[16], n, shared, writes)) ||
           watch_shape(w, in, g, shape, off, n, kind, value);
}

/* The same address for all lanes and no register in it: parameters, variables. */
NEVER_INLINE const insn *spread_same(struct warp *w, const insn *in, const char *from, uint32_t bytes)
{
    _Alignas(64) char together[32 * 16];
#define LOAD_SAME(n) \
    for (int l = 0; l < 32; l++) memcpy(together + l * (n), from, n);
    EACH_SIZE(bytes, LOAD_SAME)
    spread(w, in, together);
    return in + 1;
}

OP_FN(load_fixed)
{
    const uint32_t bytes = (uint32_t)in->size * in->count;
    const uint64_t at = (uint64_t)in->imm;
    region g;
    const bool claims = w->worker->bet && (in->space == SPACE_GLOBAL || in->space == SPACE_NONE);
    /* only their number is counted */
    const bool uncounted = in->space == SPACE_PARAM && !(w->watch & ~(WATCH_COUNT | WATCH_INIT));
    if ((w->watch && !uncounted) || claims || in->order != ORDER_WEAK || (at & (bytes - 1)) ||
        !expect_region(w, in, in->space, false, at, &g) || !run_inside(at - g.start, bytes, &g))
        return load_any(w, in);
    const char *from = g.host + (at - g.start);
    if (w->watch & WATCH_COUNT) {
        slot_counts *c = &w->worker->slot_counts[in->slot];
        c->requests++;
        c->lanes += (uint64_t)count_lanes(w->mask);
    }
    if (in->count == 1 && in->mod2 == WIDEN_U32_32) {
        uint32_t value;
        memcpy(&value, from, sizeof value);
        LANE_STORE(uint32_t, value);
    }
    if (in->count == 1 && in->mod2 == WIDEN_U64_64) {
        uint64_t value;
        memcpy(&value, from, sizeof value);
        LANE_STORE(uint64_t, value);
    }
    return spread_same(w, in, from, bytes);
}

/* A loop's next loads will be as far ahead as this one is from the previous one. */
ALWAYS_INLINE void fetch_ahead(const struct warp *w, const insn *in, const region *g, uint64_t at, uint32_t bytes)
{
    uint64_t *before = &w->before[in->slot], step = at - *before;
    *before = at;
    if (is_long_step(step)) fetch_soon(g->host + at, step, bytes);
}

/* A full warp loads `n` bytes per lane. direct: n is one element of the place's own width, written
 * to the place at once. Lanes in order with nothing watching closely avoid the larger stack frame
 * of the other cases (_far). */
static bool is_direct(const insn *in, uint32_t n)
{
    return in->count == 1 && in->size == n && (in->mod2 == WIDEN_U32_32 || in->mod2 == WIDEN_U64_64);
}
#define LOAD_FAR_FN(name, space, wide, n)                                                                            \
    NEVER_INLINE const insn *name(struct warp *w, const insn *in)                                                    \
    {                                                                                                                \
        const bool direct = is_direct(in, n);                                                                        \
        _Alignas(64) char together[32 * n];                                                                          \
        _Alignas(64) uint64_t off[32];                                                                               \
        region g;                                                                                                    \
        char *to = direct ? w->regs + in->o[0] : together;                                                           \
        note_looks(w, in, in->order != ORDER_WEAK);                                                                  \
        const enum shape shape = full_shape(w, in, space, wide, n, false, &g, off);                                  \
        if (space != SPACE_SHARED && SIM_UNLIKELY(w->worker->bet != NULL) &&                                         \
            !bet_shape(w, in, &g, shape, off, n, ACCESS_READ))                                                       \
            return shape == SHAPE_SCATTERED ? load_any(w, in) : NULL;                                                \
        if (SIM_UNLIKELY(w->watch) && shape != SHAPE_LOST && !tell_far(w, in, &g, shape, off, n, ACCESS_READ, NULL)) \
            return NULL;                                                                                             \
        switch (shape) {                                                                                             \
        case SHAPE_RUNS:                                                                                             \
            if (space == SPACE_GLOBAL) fetch_ahead(w, in, &g, off[0], 32 * n);                                       \
            if (!direct && off[16] == off[0] + 16 * n) {                                                             \
                spread(w, in, g.host + off[0]);                                                                      \
                return in + 1;                                                                                       \
            }                                                                                                        \
            memcpy(to, g.host + off[0], 16 * n);                                                                     \
            memcpy(to + 16 * n, g.host + off[16], 16 * n);                                                           \
            break;                                                                                                   \
        case SHAPE_UNIFORM: {                                                                                        \
            const char *low = g.host + off[0], *high = g.host + off[16];                                             \
            SAME_##n(to, low);                                                                                       \
            SAME_##n(to + 16 * n, high);                                                                             \
            break;                                                                                                   \
        }                                                                                                            \
        case SHAPE_SCATTERED:                                                                                        \
            for (int l = 0; l < 32; l++) memcpy(to + l * n, g.host + off[l], n);                                     \
            break;                                                                                                   \
        case SHAPE_LOST: return load_any(w, in);                                                                     \
        }                                                                                                            \
        if (!direct) spread(w, in, together);                                                                        \
        return in + 1;                                                                                               \
    }
#define LOAD_FN(name, space, wide, n, direct, far)                                                        \
    NEVER_INLINE const insn *name##_some(struct warp *w, const insn *in)                                  \
    {                                                                                                     \
        return load_some(w, in, space, wide, n, direct);                                                  \
    }                                                                                                     \
    NEVER_INLINE const insn *name##_scattered(struct warp *w, const insn *in)                             \
    {                                                                                                     \
        uint32_t off[32];                                                                                 \
        char *to = w->regs + in->o[0];                                                                    \
        const char *shared = w->block->shared;                                                            \
        if (!(direct) || space != SPACE_SHARED || (wide) || w->watch || in->order != ORDER_WEAK ||        \
            !some_in_shared(w, in, n, off))                                                               \
            return far(w, in);                                                                            \
        EACH_LANE memcpy(to + l * n, shared + off[l], n);                                                 \
        return in + 1;                                                                                    \
    }                                                                                                     \
    OP_FN(name)                                                                                           \
    {                                                                                                     \
        if (SIM_UNLIKELY(w->mask != UINT32_MAX)) return name##_some(w, in);                               \
        if (!(direct) || space == SPACE_NONE || in->order != ORDER_WEAK || w->watch & ~TOLD_QUICKLY)      \
            return far(w, in);                                                                            \
        region g;                                                                                         \
        uint64_t low, high;                                                                               \
        char *to = w->regs + in->o[0];                                                                    \
        const enum shape shape = halves_shape(w, in, space, wide, n, false, &g, &low, &high);             \
        if (space == SPACE_SHARED && !(wide) && shape == SHAPE_SCATTERED) return name##_scattered(w, in); \
        if (shape > SHAPE_RUNS || (space == SPACE_GLOBAL && is_claimed(w, in, TRACK_LOADS)) ||            \
            (w->watch && !tell_quick(w, in, &g, shape, low, high, n, space == SPACE_SHARED, false)))      \
            return far(w, in);                                                                            \
        if (shape == SHAPE_RUNS) {                                                                        \
            if (space == SPACE_GLOBAL) fetch_ahead(w, in, &g, low, 32 * n);                               \
            memcpy(to, g.host + low, 16 * n);                                                             \
            memcpy(to + 16 * n, g.host + high, 16 * n);                                                   \
            return in + 1;                                                                                \
        }                                                                                                 \
        const char *from = g.host + low, *second = g.host + high;                                         \
        SAME_##n(to, from);                                                                               \
        SAME_##n(to + 16 * n, second);                                                                    \
        return in + 1;                                                                                    \
    }
#define SIZES(X, name, space, wide)                        \
    X(name##_1, space, wide, 1, false, name##_1_far)       \
    X(name##_2, space, wide, 2, false, name##_2_far)       \
    X(name##_4, space, wide, 4, false, name##_4_far)       \
    X(name##_8, space, wide, 8, false, name##_8_far)       \
    X(name##_16, space, wide, 16, false, name##_16_far)    \
    X(name##_4_direct, space, wide, 4, true, name##_4_far) \
    X(name##_8_direct, space, wide, 8, true, name##_8_far)
#define LOADS(name, space, wide)                \
    LOAD_FAR_FN(name##_1_far, space, wide, 1)   \
    LOAD_FAR_FN(name##_2_far, space, wide, 2)   \
    LOAD_FAR_FN(name##_4_far, space, wide, 4)   \
    LOAD_FAR_FN(name##_8_far, space, wide, 8)   \
    LOAD_FAR_FN(name##_16_far, space, wide, 16) \
    SIZES(LOAD_FN, name, space, wide)
LOADS(load_global, SPACE_GLOBAL, true)
LOADS(load_generic, SPACE_NONE, true)
LOADS(load_shared, SPACE_SHARED, false)
LOADS(load_shared_wide, SPACE_SHARED, true)

/* The ordinary path of tile_loads.c's loads. */
const insn *SIM_NAME(load_shared_word)(struct warp *w, const insn *in) { return load_shared_4_direct(w, in); }

/* ---- stores ---- */
/* Gathers the elements of all lanes, lane after lane. Inactive lanes are included but never
 * stored. */
#define GATHER_PLACES(m, p)                                     \
    {                                                           \
        m *d = (m *)(void *)to;                                 \
        const p *s0 = SRC(p, in->o[0]);                         \
        if (count == 1) {                                       \
            LANES d[l] = (m)s0[l];                              \
            break;                                              \
        }                                                       \
        const p *s1 = SRC(p, in->o[1]);                         \
        if (count == 2) {                                       \
            LANES                                               \
            {                                                   \
                d[2 * l] = (m)s0[l];                            \
                d[2 * l + 1] = (m)s1[l];                        \
            }                                                   \
            break;                                              \
        }                                                       \
        const p *s2 = SRC(p, in->o[2]), *s3 = SRC(p, in->o[3]); \
        LANES                                                   \
        {                                                       \
            d[4 * l] = (m)s0[l];                                \
            d[4 * l + 1] = (m)s1[l];                            \
            d[4 * l + 2] = (m)s2[l];                            \
            d[4 * l + 3] = (m)s3[l];                            \
        }                                                       \
        break;                                                  \
    }

enum { STORE_FROM_64 = 16 }; /* mod2: the register is 64 bits wide */

static void bring_together(const struct warp *w, const insn *in, char *to)
{
    const int count = in->count;
    switch (in->size | (in->mod2 & STORE_FROM_64) << 1) {
    case 1: GATHER_PLACES(uint8_t, uint32_t)
    case 2: GATHER_PLACES(uint16_t, uint32_t)
    case 4: GATHER_PLACES(uint32_t, uint32_t)
    case 1 | 32: GATHER_PLACES(uint8_t, uint64_t)
    case 2 | 32: GATHER_PLACES(uint16_t, uint64_t)
    case 4 | 32: GATHER_PLACES(uint32_t, uint64_t)
    case 8 | 32: GATHER_PLACES(uint64_t, uint64_t)
    default: memcpy(to, SRC(char, in->o[0]), 32 * 16);
    }
}

static const insn *store_lanes(struct warp *w, const insn *in)
{
    _Alignas(64) char together[32 * 16];
    const uint32_t bytes = (uint32_t)in->size * in->count;
    reach r;
    if (!reach_lanes(w, in, bytes, ACCESS_WRITE, &r)) return NULL;
    bring_together(w, in, together);
    if (w->watch && !watch_reach(w, in, &r, bytes, ACCESS_WRITE, together)) return NULL;
    const uint32_t mask = w->mask;
#define STORE_LANES(n)           \
    for (int l = 0; l < 32; l++) \
        if (mask >> l & 1) memcpy(r.host[l], together + l * (n), n);
    EACH_SIZE(bytes, STORE_LANES)
    return in + 1;
}

static const insn *store_any(struct warp *w, const insn *in)
{
    _Alignas(64) char together[32 * 16];
    lane_run run;
    const uint32_t bytes = (uint32_t)in->size * in->count;
    switch (reach_any_run(w, in, bytes, ACCESS_WRITE, &run)) {
    case RUN_NONE: return store_lanes(w, in);
    case RUN_STOPPED: return NULL;
    case RUN_READY: break;
    }
    bring_together(w, in, together);
    memcpy(run.g.host + run.off, together + run.first * bytes, run.count * bytes);
    return in + 1;
}

ALWAYS_INLINE const insn *store_some(struct warp *w, const insn *in, const int space, const bool wide, const uint32_t n,
                                     const bool direct)
{
    lane_run run;
    if (!direct || space == SPACE_NONE || in->space != space) return store_any(w, in);
    switch (reach_run(w, in, space, wide, n, ACCESS_WRITE, &run)) {
    case RUN_NONE: {
        uint32_t off[32];
        if (space != SPACE_SHARED || wide || w->watch || !some_in_shared(w, in, n, off)) return store_lanes(w, in);
        const char *from = SRC(char, in->o[0]);
        char *shared = w->block->shared;
        EACH_LANE memcpy(shared + off[l], from + l * n, n); /* all: no branch to foresee */
        return in + 1;
    }
    case RUN_STOPPED: return NULL;
    case RUN_READY: break;
    }
    copy_lanes(run.g.host + run.off, SRC(char, in->o[0]) + run.first * n, run.count, n);
    return in + 1;
}

/* A full warp stores `n` bytes per lane. Where several lanes store to one address, the highest
 * lane's value stays. */
#define STORE_FN(name, space, wide, n, direct, far)                                             \
    NEVER_INLINE const insn *name##_some(struct warp *w, const insn *in)                        \
    {                                                                                           \
        return store_some(w, in, space, wide, n, direct);                                       \
    }                                                                                           \
    OP_FN(name)                                                                                 \
    {                                                                                           \
        if (SIM_UNLIKELY(w->mask != UINT32_MAX)) return name##_some(w, in);                     \
        _Alignas(64) char together[32 * n];                                                     \
        _Alignas(64) uint64_t off[32];                                                          \
        region g;                                                                               \
        const enum shape shape = full_shape(w, in, space, wide, n, true, &g, off);              \
        if (shape == SHAPE_LOST) return store_any(w, in);                                       \
        if (space != SPACE_SHARED && SIM_UNLIKELY(w->worker->bet != NULL) &&                    \
            !bet_shape(w, in, &g, shape, off, n, ACCESS_WRITE))                                 \
            return shape == SHAPE_SCATTERED ? store_any(w, in) : NULL;                          \
        if (!(direct) && shape == SHAPE_RUNS && off[16] == off[0] + 16 * n && !w->watch) {      \
            bring_together(w, in, g.host + off[0]);                                             \
            return in + 1;                                                                      \
        }                                                                                       \
        const char *from = (direct) ? SRC(char, in->o[0]) : together;                           \
        if (!(direct)) bring_together(w, in, together);                                         \
        if (SIM_UNLIKELY(w->watch) &&                                                           \
            !((space == SPACE_GLOBAL || space == SPACE_SHARED) &&                               \
              tell_quick(w, in, &g, shape, off[0], off[16], n, space == SPACE_SHARED, true)) && \
            !watch_shape(w, in, &g, shape, off, n, ACCESS_WRITE, from))                         \
            return NULL;                                                                        \
        if (shape == SHAPE_RUNS) {                                                              \
            memcpy(g.host + off[0], from, 16 * n);                                              \
            memcpy(g.host + off[16], from + 16 * n, 16 * n);                                    \
        } else if (shape == SHAPE_UNIFORM) {                                                    \
            memcpy(g.host + off[0], from + 15 * n, n);                                          \
            memcpy(g.host + off[16], from + 31 * n, n);                                         \
        } else {                                                                                \
            for (int l = 0; l < 32; l++) memcpy(g.host + off[l], from + l * n, n);              \
        }                                                                                       \
        return in + 1;                                                                          \
    }
SIZES(STORE_FN, store_global, SPACE_GLOBAL, true)
SIZES(STORE_FN, store_generic, SPACE_NONE, true)
SIZES(STORE_FN, store_shared, SPACE_SHARED, false)
SIZES(STORE_FN, store_shared_wide, SPACE_SHARED, true)

/* ---- selecting ---- */
/* .weak .volatile .relaxed.scope .acquire.scope .release.scope .mmio.relaxed.sys; .cv and .wt count
 * as volatile. */
static bool take_order(form *f, bool load)
{
    bool mmio = form_take(f, S_MMIO);
    if (form_take(f, S_WEAK)) f->order = ORDER_WEAK;
    else if (form_take(f, S_VOLATILE)) f->order = ORDER_VOLATILE | ORDER_SCOPE_SYS;
    else if (form_take(f, S_RELAXED)) f->order = (uint8_t)(ORDER_VOLATILE | take_scope(f));
    else if (load && form_take(f, S_ACQUIRE)) f->order = (uint8_t)(ORDER_ACQUIRE | take_scope(f));
    else if (!load && form_take(f, S_RELEASE)) f->order = (uint8_t)(ORDER_RELEASE | take_scope(f));
    if (mmio && (f->order & ORDER_MASK) != ORDER_VOLATILE) return form_refuse(f, "has .mmio without .relaxed");
    return true;
}

static int take_vector(form *f) { return form_take(f, S_V2) ? 2 : form_take(f, S_V4) ? 4 : form_take(f, S_V8) ? 8 : 1; }

/* The data operand or vector: fills slots 0.. and gives the registers' width; -1 refused. */
static int take_data(form *f, const ptx_operand *op, int count, enum ptx_type t, bool load)
{
    const ptx_operand *e = op;
    int n = 1, bits = 0;
    if (op->kind == O_VECTOR) {
        e = op->elements;
        n = op->count;
    }
    if (n != count) {
        form_refuse(f, "has a number of elements that does not match its vector suffix");
        return -1;
    }
    for (int k = 0; k < n; k++) {
        int b = operand_bits(f, &e[k]);
        if (b < 0 || (b && bits && b != bits) ||
            (load ? e[k].kind != O_REG && e[k].kind != O_NONE : e[k].kind == O_NONE)) {
            form_refuse(f, "has data operands that do not match");
            return -1;
        }
        if (b) bits = b;
    }
    if (!bits) bits = ptx_bits(t) < 32 ? 32 : ptx_bits(t);
    if (bits < ptx_bits(t)) {
        form_refuse(f, "has a register that is narrower than its type");
        return -1;
    }
    if ((bits == 128 || ptx_bits(t) == 128) && bits != ptx_bits(t)) {
        form_refuse(f, "needs a register as wide as its type");
        return -1;
    }
    /* A float may go into a wider register of bits or integers, with zeros above; not into a wider
     * float. */
    for (int k = 0; k < n; k++) {
        if (ptx_types[t].kind != 'F' || bits == ptx_bits(t) || e[k].kind != O_REG) continue;
        if (ptx_types[f->func->regs[e[k].reg].type].kind != 'F') continue;
        form_refuse(f, "needs a float as wide as its type");
        return -1;
    }
    for (int k = 0; k < n; k++) {
        const ptx_operand *o = e[k].kind == O_NONE ? NULL : &e[k];
        if (load) form_def(f, o, bits_type(bits));
        else form_use(f, &e[k], bits_type(bits));
    }
    return bits;
}

static int widen_of(enum ptx_type t, int bits)
{
    bool s = ptx_types[t].kind == 'S';
    switch (ptx_bits(t)) {
    case 8:
        return bits == 64        ? (s ? WIDEN_S8_64 : WIDEN_U8_64)
               : bits == 32      ? (s ? WIDEN_S8_32 : WIDEN_U8_32)
               : bits == 16 && s ? WIDEN_S8_16
                                 : WIDEN_U8_32;
    case 16: return bits == 64 ? (s ? WIDEN_S16_64 : WIDEN_U16_64) : bits == 32 && s ? WIDEN_S16_32 : WIDEN_U16_32;
    case 32: return bits == 64 ? (s ? WIDEN_S32_64 : WIDEN_U32_64) : WIDEN_U32_32;
    case 64: return WIDEN_U64_64;
    default: return WIDEN_128;
    }
}

typedef struct sized {
    op_fn *of_1, *of_2, *of_4, *of_8, *of_16, *direct_4, *direct_8;
} sized;
#define SIZED(name)                                                                         \
    {                                                                                       \
        name##_1, name##_2, name##_4, name##_8, name##_16, name##_4_direct, name##_8_direct \
    }

static op_fn *pick(const sized *s, int bytes, bool direct)
{
    switch (bytes) {
    case 1: return s->of_1;
    case 2: return s->of_2;
    case 4: return direct ? s->direct_4 : s->of_4;
    case 8: return direct ? s->direct_8 : s->of_8;
    default: return s->of_16;
    }
}

static bool select_access(form *f, bool load)
{
    static const sized loads[4] = {SIZED(load_global), SIZED(load_generic), SIZED(load_shared),
                                   SIZED(load_shared_wide)};
    static const sized stores[4] = {SIZED(store_global), SIZED(store_generic), SIZED(store_shared),
                                    SIZED(store_shared_wide)};
    static const uint8_t types[] = {T_B8,  T_B16, T_B32, T_B64, T_B128, T_U8,  T_U16, T_U32,
                                    T_U64, T_S8,  T_S16, T_S32, T_S64,  T_F32, T_F64};
    if (!take_order(f, load)) return false;
    f->space = take_space(f);
    const ptx_operand *address = f->in->operand_count > load ? &f->in->operand[load ? 1 : 0] : NULL;
    if (address && !take_space_of(f, address)) return false;
    bool nc = load && form_take(f, S_NC);
    if (nc && f->space != SPACE_GLOBAL) return form_refuse(f, "has .nc outside global memory");
    take_hints(f);
    bool policy = form_take(f, S_L2_CACHE_HINT);
    int count = take_vector(f);
    enum ptx_type t = form_type(f);
    bool known = false;
    for (size_t i = 0; i < sizeof types; i++) known |= types[i] == t;
    if (!known) return form_refuse(f, "has a type that cannot be loaded or stored");
    int bytes = ptx_bits(t) / 8;
    if (count == 8 || count * bytes > 16)
        return form_refuse(f, "moves more than 16 bytes per thread, which needs a card after sm_90");
    if (!form_operands(f, 2 + policy, 2 + policy)) return false;
    const ptx_operand *data = &f->in->operand[load ? 0 : 1];
    int bits = take_data(f, data, count, t, load);
    if (bits < 0) return false;
    form_address(f, address);
    if (f->why) return false;
    if (policy) form_use(f, &f->in->operand[2], T_B64);
    /* The parameters of device functions, and those of calls, lie in local memory. */
    if (f->space == SPACE_PARAM && ((f->mod & ADDRESS_LOCAL_BASE) || !f->func->is_entry)) f->space = SPACE_LOCAL;
    f->size = (uint8_t)bytes;
    f->count = (uint8_t)count;
    f->has_slot = true;
    f->mod2 = load ? (uint32_t)widen_of(t, bits) : bits == 64 ? STORE_FROM_64 : 0;
    switch (f->space) {
    case SPACE_CLUSTER:
    case SPACE_SHARED: f->cls = load ? SIM_CLASS_SHARED_LOAD : SIM_CLASS_SHARED_STORE; break;
    case SPACE_LOCAL: f->cls = SIM_CLASS_LOCAL; break;
    case SPACE_CONST:
    case SPACE_PARAM: f->cls = SIM_CLASS_CONSTANT; break;
    default: f->cls = load ? SIM_CLASS_GLOBAL_LOAD : SIM_CLASS_GLOBAL_STORE;
    }
    bool based = address->kind == O_ADDRESS && !address->var && address->reg >= 0, wide = f->mod & ADDRESS_WIDE;
    bool direct = count == 1 && bytes * 8 == bits && bytes >= 4;
    const sized *with = load ? loads : stores;
    f->fn = load ? load_any : store_any;
    if (!based && load && f->space != SPACE_LOCAL) f->fn = load_fixed;
    if (!based) return true;
    if (f->space == SPACE_SHARED) f->fn = pick(&with[wide ? 3 : 2], count * bytes, direct);
    else if (wide && (f->space == SPACE_GLOBAL || f->space == SPACE_CONST))
        f->fn = pick(&with[0], count * bytes, direct);
    else if (wide && f->space == SPACE_NONE) f->fn = pick(&with[1], count * bytes, direct);
    return true;
}

bool SIM_NAME(select_memory)(form *f)
{
    f->cls = SIM_CLASS_OTHER;
    switch (f->in->op) {
    case OP_LD:
    case OP_LDU: return select_access(f, true);
    case OP_ST: return form_take(f, S_ASYNC) ? SIM_NAME(select_async_store)(f) : select_access(f, false);
    default: return SIM_NAME(select_hint)(f);
    }
}
