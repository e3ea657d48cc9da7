/* access.h: how memory operations find the bytes of 32 lanes quickly.
 *
 * An address is the value of place o[4] plus imm (mod bit 0: the place holds 64 bits; bit 1: plus
 * the base of local memory; o[4] = UINT32_MAX: imm alone). A `region` is a piece of memory that the
 * whole warp is expected to hit: the parameters, or the shared variable or allocation that this
 * instruction hit before. Accesses outside it go to memory_reach, which looks at each lane and
 * raises the faults.
 *
 * Fast paths are for 32 active lanes and no checker. They look at the warp as two halves of 16
 * lanes, because thread blocks 16 wide are common. If in each half all addresses are equal, or
 * ascend by the size of the access, two copies do it.
 */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include "run/parallel_bet.h"
#include "lanes.h"

enum { ADDRESS_WIDE = 1, ADDRESS_LOCAL_BASE = 2 };
#define NO_BASE UINT32_MAX

typedef struct region {
    uint64_t start, size;
    uint64_t low; /* offsets from here on are inside; not 0 only in shared memory */
    char *host;
} region;

/* `is`: an access that may be one of many that wait for somebody, who may want to run
 * (run/block.c). */
static inline void note_looks(struct warp *w, const insn *in, bool is)
{
    if (SIM_LIKELY(!is)) return;
    w->worker->strong++;
    w->worker->outside += in->space != SPACE_SHARED;
    if (SIM_LIKELY(!w->worker->launch->s->mem.shared)) return;
    const alloc *al = w->worker->cache[in->slot];
    if (al && al->is_shared) w->worker->launch->met_host = true;
}

static inline bool has_no_base(const insn *in) { return in->o[4] == NO_BASE; }

/* The addresses as the program computes them. Inactive lanes repeat the first active lane's. */
static inline void lane_addresses(const struct warp *w, const insn *in, uint64_t *at)
{
    uint64_t add = (uint64_t)in->imm + (in->mod & ADDRESS_LOCAL_BASE ? w->local_base : 0);
    if (has_no_base(in)) {
        for (int l = 0; l < 32; l++) at[l] = add;
        return;
    }
    if (in->mod & ADDRESS_WIDE) {
        const uint64_t *a = SRC(uint64_t, in->o[4]);
        for (int l = 0; l < 32; l++) at[l] = a[l] + add;
    } else {
        const uint32_t *a = SRC(uint32_t, in->o[4]);
        for (int l = 0; l < 32; l++) at[l] = (uint32_t)(a[l] + (uint32_t)add);
    }
    if (w->mask == UINT32_MAX) return;
    int first = 0;
    while (first < 31 && !(w->mask >> first & 1)) first++;
    const uint64_t instead = at[first];
    const uint32_t *on = w->lane;
    for (int l = 0; l < 32; l++) at[l] = on[l] ? at[l] : instead;
}

/* Where this instruction is expected to hit. False: not known yet. `writes` matters for parameters
 * only: a store's cache never holds constant allocations, because memory_reach refuses them. */
ALWAYS_INLINE bool expect_region(const struct warp *w, const insn *in, const int space, bool writes, uint64_t any,
                                 region *r)
{
    if (space == SPACE_SHARED || (space == SPACE_NONE && any - SHARED_WINDOW < WINDOW_BYTES)) {
        const shared_part *p = w->worker->part[in->slot];
        r->start = space == SPACE_SHARED ? 0 : SHARED_WINDOW;
        r->low = p->from;
        r->size = p->to;
        r->host = w->block->shared;
        return true;
    }
    r->low = 0;
    if (space == SPACE_PARAM) {
        r->start = 0;
        r->size = w->worker->launch->param_bytes;
        r->host = w->worker->launch->params;
        return !writes;
    }
    const alloc *al = w->worker->cache[in->slot];
    if (!al || space == SPACE_CLUSTER) return false;
    r->start = al->start;
    r->size = al->size;
    r->host = al->host;
    return true;
}

/* Every lane's offset in `g`; true when all are inside and aligned. */
static inline bool all_inside(const uint64_t *at, uint32_t bytes, const region *g)
{
    if (g->size - g->low < bytes) return false;
    const uint64_t last = g->size - g->low - bytes, start = g->start, from = g->low, low = bytes - 1;
    uint64_t bad = 0;
    for (int l = 0; l < 32; l++) {
        uint64_t rel = at[l] - start;
        bad |= (uint64_t)(rel - from > last) | (rel & low);
    }
    return !bad;
}

/* The bytes at r->at of a space, which inactive lanes repeat. */
static inline bool find_in(struct warp *w, const insn *in, const uint8_t space, uint32_t bytes, enum access_kind kind,
                           reach *r)
{
    if (space == SPACE_LOCAL) {
        const uint64_t stride = w->local_stride;
        region g = {0, w->local ? w->local_limit : 0, 0, w->local};
        if (!all_inside(r->at, bytes, &g)) return memory_reach(w, in, space, bytes, kind, r);
        for (int l = 0; l < 32; l++) r->host[l] = g.host + (size_t)l * stride + r->at[l];
        r->space = SPACE_LOCAL;
        r->al = NULL;
        return true;
    }
    region g;
    if (!expect_region(w, in, space, kind != ACCESS_READ, r->at[0], &g) || !all_inside(r->at, bytes, &g))
        return memory_reach(w, in, space, bytes, kind, r);
    for (int l = 0; l < 32; l++) r->host[l] = g.host + (r->at[l] - g.start);
    r->space = space;
    r->al = NULL;
    if (space == SPACE_NONE) {
        r->space = g.start == SHARED_WINDOW ? SPACE_SHARED : SPACE_GLOBAL;
        if (r->space == SPACE_SHARED)
            for (int l = 0; l < 32; l++) r->at[l] -= SHARED_WINDOW;
    }
    if (r->space == SPACE_GLOBAL || r->space == SPACE_CONST) r->al = w->worker->cache[in->slot];
    return true;
}
static inline bool find_at(struct warp *w, const insn *in, uint32_t bytes, enum access_kind kind, reach *r)
{
    return find_in(w, in, in->space, bytes, kind, r);
}

static inline bool find_lanes(struct warp *w, const insn *in, uint32_t bytes, enum access_kind kind, reach *r)
{
    lane_addresses(w, in, r->at);
    return find_at(w, in, bytes, kind, r);
}

/* Finds the bytes of every active lane, in any space. Returns false when a fault was raised, or
 * when another host thread has claimed the bytes (atomics claim by themselves). `bytes` is a power
 * of two. The caller reports to the checkers (memory_watch) before it performs the access. */
static inline bool reach_lanes(struct warp *w, const insn *in, uint32_t bytes, enum access_kind kind, reach *r)
{
    if (!find_lanes(w, in, bytes, kind, r)) return false;
    if (SIM_LIKELY(!w->worker->launch->bet) || kind == ACCESS_ATOMIC) return true;
    if (r->space != SPACE_GLOBAL && r->space != SPACE_NONE) return true; /* no other block sees it */
    return bet_reach(w, in, r, bytes, kind, 0);
}

/* ---- the two halves of a full warp ---- */
/* False when in each half lane l's address is the first lane's plus l * step. */
#if defined(VECTOR_BITS)
#define STRAY_FN(name, T)                                                                                    \
    ALWAYS_INLINE bool name(const T *a, T step)                                                              \
    {                                                                                                        \
        enum { PER_HALF = VECTORS(T) / 2, LANES_EACH = 16 / PER_HALF };                                      \
        uint32_t same = UINT32_MAX;                                                                          \
        for (unsigned half = 0; half < 2; half++, a += 16) {                                                 \
            VECTOR_OF(T) want;                                                                               \
            for (unsigned l = 0; l < LANES_EACH; l++) want[l] = l * step;                                    \
            want += a[0];                                                                                    \
            for (unsigned i = 0; i < PER_HALF; i++, want += LANES_EACH * step)                               \
                same &= VECTOR_BITS(T, EQ, *(const VECTOR_OF(T) *)(const void *)(a + LANES_EACH * i), want); \
        }                                                                                                    \
        return same != (1u << LANES_EACH) - 1;                                                               \
    }
#else
/* The volatile reads keep clang from splitting the loop because lane 0 needs no test. */
#if defined(__clang__)
#define HALF_LOOP _Pragma("clang loop vectorize(enable) unroll(disable)") for (uint32_t l = 0; l < 16; l++)
#else
#define HALF_LOOP for (uint32_t l = 0; l < 16; l++)
#endif
#define STRAY_FN(name, T)                                                           \
    ALWAYS_INLINE bool name(const T *a, T step)                                     \
    {                                                                               \
        T x = 0;                                                                    \
        const T low = *(const volatile T *)a, high = *(const volatile T *)(a + 16); \
        HALF_LOOP x |= (a[l] ^ (low + l * step)) | (a[l + 16] ^ (high + l * step)); \
        return x;                                                                   \
    }
#endif
STRAY_FN(halves_stray32, uint32_t)
STRAY_FN(halves_stray64, uint64_t)

static inline bool run_inside(uint64_t rel, uint64_t run, const region *g)
{
    return rel - g->low <= g->size - g->low && g->size - rel >= run;
}

enum shape { SHAPE_UNIFORM, SHAPE_RUNS, SHAPE_SCATTERED, SHAPE_LOST };

/* How the addresses of a full warp lie in its region, judged by its halves: *low and *high are the
 * offsets from g->host of their first lanes. SHAPE_SCATTERED: neither shape, lanes not checked yet.
 * SHAPE_LOST: not all inside, or not aligned. */
ALWAYS_INLINE enum shape halves_shape(const struct warp *w, const insn *in, const int space, const bool wide,
                                      const uint32_t bytes, const bool writes, region *g, uint64_t *low, uint64_t *high)
{
    const uint64_t add = (uint64_t)in->imm;
    const uint64_t *a64 = SRC(uint64_t, in->o[4]);
    const uint32_t *a32 = SRC(uint32_t, in->o[4]);
    const uint64_t first = wide ? a64[0] + add : (uint32_t)(a32[0] + (uint32_t)add);
    const uint64_t second = wide ? a64[16] + add : (uint32_t)(a32[16] + (uint32_t)add);
    if (!expect_region(w, in, space, writes, first, g)) return SHAPE_LOST;
    *low = first - g->start;
    *high = second - g->start;
    const bool same = wide ? a64[0] == a64[1] : a32[0] == a32[1];
    if (same   ? (wide ? halves_stray64(a64, 0) : halves_stray32(a32, 0))
        : wide ? halves_stray64(a64, bytes)
               : halves_stray32(a32, bytes))
        return SHAPE_SCATTERED;
    const uint32_t each = same ? bytes : 16 * bytes;
    const bool inside = run_inside(*low, each, g) && run_inside(*high, each, g) && !((*low | *high) & (bytes - 1));
    return !inside ? SHAPE_LOST : same ? SHAPE_UNIFORM : SHAPE_RUNS;
}

/* The same, completely. off[0] and off[16] get *low and *high; when lanes are scattered, off[] gets
 * every lane's offset. */
ALWAYS_INLINE enum shape full_shape(const struct warp *w, const insn *in, const int space, const bool wide,
                                    const uint32_t bytes, const bool writes, region *g, uint64_t *off)
{
    const uint64_t add = (uint64_t)in->imm, low = bytes - 1;
    const uint64_t *a64 = SRC(uint64_t, in->o[4]);
    const uint32_t *a32 = SRC(uint32_t, in->o[4]);
    const enum shape halves = halves_shape(w, in, space, wide, bytes, writes, g, &off[0], &off[16]);
    if (halves != SHAPE_SCATTERED) return halves;
    if (g->size - g->low < bytes) return SHAPE_LOST;
    const uint64_t from = g->low, last = g->size - from - bytes, start = g->start;
    if (wide) {
        uint64_t bad = 0;
        for (int l = 0; l < 32; l++) {
            uint64_t rel = a64[l] + add - start;
            off[l] = rel;
            bad |= (uint64_t)(rel - from > last) | (rel & low);
        }
        return bad ? SHAPE_LOST : SHAPE_SCATTERED;
    }
    if (last > UINT32_MAX || start) { /* never shared memory; the slow path does the rest */
        uint64_t bad = 0;
        for (int l = 0; l < 32; l++) {
            uint64_t rel = (uint64_t)(uint32_t)(a32[l] + (uint32_t)add) - start;
            off[l] = rel;
            bad |= (uint64_t)(rel - from > last) | (rel & low);
        }
        return bad ? SHAPE_LOST : SHAPE_SCATTERED;
    }
    uint32_t bad = 0, last32 = (uint32_t)last, from32 = (uint32_t)from, add32 = (uint32_t)add, low32 = (uint32_t)low;
    for (int l = 0; l < 32; l++) {
        uint32_t rel = a32[l] + add32;
        off[l] = rel;
        bad |= (uint32_t)(rel - from32 > last32) | (rel & low32);
    }
    return bad ? SHAPE_LOST : SHAPE_SCATTERED;
}

/* ---- some lanes of a warp ---- */
/* Consecutive lanes with consecutive elements in global or shared memory: what `if (tid < n)`
 * leaves of a warp. */
typedef struct lane_run {
    region g;
    uint64_t off;          /* in the region, of the lowest lane */
    uint32_t first, count; /* lanes */
} lane_run;

ALWAYS_INLINE bool find_run(const struct warp *w, const insn *in, const int space, const bool wide,
                            const uint32_t bytes, const bool writes, lane_run *r)
{
    const uint32_t *on = w->lane, first = (uint32_t)first_lane(w->mask), mask = w->mask >> first;
    if (mask & (mask + 1)) return false;
    uint64_t at;
    if (wide) {
        const uint64_t *a = SRC(uint64_t, in->o[4]), low = a[first] - (uint64_t)first * bytes;
        uint64_t x = 0;
        if (mask > 1)
            for (uint32_t l = 0; l < 32; l++) x |= on[l] ? a[l] ^ (low + (uint64_t)l * bytes) : 0;
        if (x) return false;
        at = a[first] + (uint64_t)in->imm;
    } else {
        const uint32_t *a = SRC(uint32_t, in->o[4]), low = a[first] - first * bytes;
        uint32_t x = 0;
        if (mask > 1)
            for (uint32_t l = 0; l < 32; l++) x |= on[l] & (a[l] ^ (low + l * bytes));
        if (x) return false;
        at = (uint32_t)(a[first] + (uint32_t)in->imm);
    }
    if (!expect_region(w, in, space, writes, at, &r->g)) return false;
    r->off = at - r->g.start;
    r->first = first;
    r->count = (uint32_t)count_lanes(mask);
    return !(r->off & (bytes - 1)) && run_inside(r->off, (uint64_t)r->count * bytes, &r->g);
}

/* ---- what a full warp's loads do with a half ---- */
/* Sixteen copies of one element. */
#define SAME_TYPED(type, to, from)                \
    do {                                          \
        type v_, *to_ = (type *)(void *)(to);     \
        memcpy(&v_, from, sizeof v_);             \
        for (int l = 0; l < 16; l++) to_[l] = v_; \
    } while (0)
#define SAME_1(to, from) memset(to, *(from), 16)
#define SAME_2(to, from) SAME_TYPED(uint16_t, to, from)
#define SAME_4(to, from) SAME_TYPED(uint32_t, to, from)
#define SAME_8(to, from) SAME_TYPED(uint64_t, to, from)
#define SAME_16(to, from) \
    for (int l = 0; l < 16; l++) memcpy((to) + 16 * l, from, 16)

/* The host's own prefetchers do not follow such steps. */
static inline bool is_long_step(uint64_t step) { return step + 128 >= 256; }

/* The `bytes` at `now` were loaded; each of the next loads will be one step further on. */
ALWAYS_INLINE void fetch_soon(const char *now, uint64_t step, size_t bytes)
{
#if defined(__GNUC__)
    const char *soon = (const char *)((uintptr_t)now + 4 * step);
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(soon + i);
    __builtin_prefetch(soon + bytes - 1); /* it may begin within a line */
#else
    (void)now, (void)step, (void)bytes;
#endif
}

/* ---- what selectors of memory operations share ---- */
static inline uint8_t take_space(form *f)
{
    static const uint16_t spaces[] = {S_GLOBAL, S_SHARED, S_SHARED_CTA,  S_SHARED_CLUSTER, S_LOCAL,
                                      S_CONST,  S_PARAM,  S_PARAM_ENTRY, S_PARAM_FUNC,     S_NONE};
    switch (form_take_any(f, spaces)) {
    case S_GLOBAL: return SPACE_GLOBAL;
    case S_SHARED:
    case S_SHARED_CTA: return SPACE_SHARED;
    case S_SHARED_CLUSTER: return SPACE_CLUSTER;
    case S_LOCAL: return SPACE_LOCAL;
    case S_CONST: return SPACE_CONST;
    case S_PARAM:
    case S_PARAM_ENTRY:
    case S_PARAM_FUNC: return SPACE_PARAM;
    default: return SPACE_NONE;
    }
}

/* As ptxas has it: an address by the name of a variable lies in that variable's space, which an instruction without a
 * space takes; another one is refused. A variable that is constant or a parameter needs its space said. */
static inline bool take_space_of(form *f, const ptx_operand *address)
{
    const ptx_var *v = address->kind == O_ADDRESS || address->kind == O_VAR ? address->var : NULL;
    if (!v) return true;
    const uint8_t space = f->space == SPACE_CLUSTER ? SPACE_SHARED : f->space;
    if (space == v->space) return true;
    if (space != SPACE_NONE || v->space == SPACE_CONST || v->space == SPACE_PARAM)
        return form_refuse(f, "names a variable of another state space");
    f->space = (uint8_t)v->space;
    return true;
}

static inline uint8_t take_scope(form *f)
{
    static const uint16_t scopes[] = {S_CTA, S_CLUSTER, S_GPU, S_GL, S_SYS, S_NONE};
    switch (form_take_any(f, scopes)) {
    case S_CTA: return ORDER_SCOPE_CTA;
    case S_CLUSTER: return ORDER_SCOPE_CLUSTER;
    case S_SYS: return ORDER_SCOPE_SYS;
    default: return ORDER_SCOPE_GPU;
    }
}

/* Cache hints: no effect on results. */
static inline void take_hints(form *f)
{
    static const uint16_t hints[] = {S_CA,
                                     S_CG,
                                     S_CS,
                                     S_CV,
                                     S_LU,
                                     S_WB,
                                     S_WT,
                                     S_L1_EVICT_NORMAL,
                                     S_L1_EVICT_UNCHANGED,
                                     S_L1_EVICT_FIRST,
                                     S_L1_EVICT_LAST,
                                     S_L1_NO_ALLOCATE,
                                     S_L2_EVICT_LAST,
                                     S_L2_EVICT_NORMAL,
                                     S_L2_EVICT_FIRST,
                                     S_L2_64B,
                                     S_L2_128B,
                                     S_L2_256B,
                                     S_UNIFIED,
                                     S_NONE};
    while (form_take_any(f, hints)) {}
}

/* Bits of an operand's register; 0 for a constant or a sink, -1 for what cannot be loaded or
 * stored. */
static inline int operand_bits(const form *f, const ptx_operand *op)
{
    if (op->kind != O_REG) return op->kind == O_VECTOR || op->kind == O_LIST || op->kind == O_ADDRESS ? -1 : 0;
    int bits = ptx_bits(f->func->regs[op->reg].type);
    return bits < 8 ? -1 : bits;
}

static inline enum ptx_type bits_type(int bits)
{
    return bits <= 16 ? T_B16 : bits == 32 ? T_B32 : bits == 64 ? T_B64 : T_B128;
}

#endif
