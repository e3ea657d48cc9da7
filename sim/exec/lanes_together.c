/* lanes_together.c: operations in which the lanes of a warp see each other: shfl, vote, match,
 * redux, elect, activemask.
 *
 * The .sync forms first bring together the lanes that the member mask names: meet() waits for them,
 * and when it returns true the operation is performed for all of them at once. Lanes may name
 * different masks, as the tiles of a warp do: lanes with the same mask form a group and see only
 * each other. The older forms without .sync work on the lanes that happen to be there.
 *
 * What PTX leaves undefined is as on an H200: shfl reads from any lane that performs it at the same
 * time, whatever mask that lane names, and gives 0 for a lane that does not.
 */
#include "ints.h"
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/* Waits for the lanes that the masks at `place` name. False: *next says how to go on. */
static bool meet(struct warp *w, const insn *in, uint32_t place, const insn **next)
{
    const uint32_t *member = SRC(uint32_t, place);
    uint32_t want = 0, missing;
    if (place & 1) { /* a constant */
        want = member[0];
        missing = w->mask & ~want;
    } else {
        uint32_t all = UINT32_MAX;
        for (int l = 0; l < 32; l++) all &= member[l] | ~w->lane[l];
        if (SIM_LIKELY(all == UINT32_MAX && !(w->live & ~w->mask))) return true; /* each names all */
        for (int l = 0; l < 32; l++) want |= member[l] & w->lane[l];
        LANE_BITS(named, member[l] & lane_bit[l]);
        missing = w->mask & ~named;
    }
    if (SIM_LIKELY(!missing && !(want & w->live & ~w->mask))) return true; /* all are here */
    if (missing) remark_left_out(w, in, missing, member[place & 1 ? 0 : first_lane(missing)]);
    return !(want & w->live & ~w->mask) || warp_meet(w, in, place, next);
}

/* The lanes of the next group of `left`: those with the same mask as its lowest lane. */
static inline uint32_t next_group(struct warp *w, uint32_t place, uint32_t left)
{
    const uint32_t *member = SRC(uint32_t, place);
    uint32_t mask = member[first_lane(left)];
    if (place & 1) return left;
    LANE_BITS(same, member[l] == mask);
    return left & same;
}

/* FOR_GROUPS(place): the next statement runs once per group, whose lanes are `group`. */
#define FOR_GROUPS(place)                     \
    for (uint32_t left_ = w->mask, group = 0; \
         left_ && (group = in->mod & WARP_SYNC ? next_group(w, (place), left_) : left_, true); left_ &= ~group)

#define MEET(place)                                                                         \
    const insn *next = NULL;                                                                \
    if (in->mod & WARP_SYNC && !meet(w, in, (place), &next)) return unknown_pause(w, next); \
    if (SIM_UNLIKELY(w->watch & WATCH_UNKNOWN)) unknown_warp(w, in)
#define MET return in->mod & WARP_SYNC ? warp_met(w, in) : in + 1

/* ---- shfl: d, a, b, c, p, member mask ---- c holds the last lane to read from (bits 0 to 4) and
 * the bits of the lane number that stay as they are (bits 8 to 12). */
enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX, SHFL_MODES };
/* value[l] = of[from[l]], all of which are 0 to 31. */
static inline void gather(uint32_t *value, const uint32_t *of, const uint32_t *from)
{
#if defined(__AVX512F__) && defined(VECTOR_BITS)
    const __m512i low = _mm512_loadu_si512(of), high = _mm512_loadu_si512(of + 16);
    for (int i = 0; i < 32; i += 16)
        _mm512_storeu_si512(value + i, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from + i), high));
#else
    for (int l = 0; l < 32; l++) value[l] = of[from[l]];
#endif
}

static inline void shuffle(struct warp *w, const insn *in, const uint32_t *from)
{
    const uint32_t *pa = SRC(uint32_t, in->o[1]), *on = w->lane;
    uint32_t *d = DST(uint32_t, in->o[0]), value[32];
    if (SIM_LIKELY(w->mask == UINT32_MAX)) {
        gather(value, pa, from);
        memcpy(d, value, sizeof value);
        return;
    }
    uint32_t there[32];
    LANES there[l] = on[l] & pa[l];
    gather(value, there, from);
    LANES d[l] = on[l] ? value[l] : d[l];
}
#define SHFL_OP(name, source, within)                                                  \
    OP_FN(name)                                                                        \
    {                                                                                  \
        MEET(in->o[5]);                                                                \
        uint32_t from[32], inside[32];                                                 \
        const uint32_t *pb = SRC(uint32_t, in->o[2]), *pc = SRC(uint32_t, in->o[3]);   \
        LANES                                                                          \
        {                                                                              \
            uint32_t b = B & 31, c = C & 31, fixed = C >> 8 & 31, lane = (uint32_t)l;  \
            uint32_t lowest = lane & fixed, last = lowest | (c & ~fixed);              \
            int32_t j = (int32_t)(source);                                             \
            (void)b, (void)lowest;                                                     \
            inside[l] = within(int32_t) last;                                          \
            from[l] = inside[l] ? (uint32_t)j & 31 : lane;                             \
        }                                                                              \
        LANE_BITS(reached, inside[l]);                                                 \
        if (SIM_UNLIKELY(w->watch & WATCH_INIT)) unknown_shuffle(w, in, from);         \
        shuffle(w, in, from);                                                          \
        pred_set(w, in->o[4], reached);                                                \
        next = in->mod & WARP_SYNC ? warp_met(w, in) : in + 1;                         \
        return SIM_UNLIKELY(w->watch & WATCH_UNKNOWN) ? unknown_pause(w, next) : next; \
    }
SHFL_OP(shfl_up, lane - b, j >=)
SHFL_OP(shfl_down, lane + b, j <=)
SHFL_OP(shfl_bfly, lane ^ b, j <=)
SHFL_OP(shfl_idx, lowest | (b & ~fixed), j <=)
static op_fn *const shfl_fns[SHFL_MODES] = {shfl_up, shfl_down, shfl_bfly, shfl_idx};

/* ---- vote: d, predicate, member mask ---- */
enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
OP_FN(vote)
{
    MEET(in->o[2]);
    uint32_t p = pred_get(w, in->o[1]) ^ (in->mod & WARP_INVERT ? UINT32_MAX : 0), out = 0;
    FOR_GROUPS(in->o[2])
    {
        uint32_t yes = p & group;
        bool so = (in->mod & 3) == VOTE_ANY ? yes != 0 : yes == group || ((in->mod & 3) == VOTE_UNI && !yes);
        out |= so ? group : 0;
    }
    pred_set(w, in->o[0], out);
    MET;
}
OP_FN(vote_ballot)
{
    MEET(in->o[2]);
    uint32_t p = pred_get(w, in->o[1]) ^ (in->mod & WARP_INVERT ? UINT32_MAX : 0);
    uint32_t *d = DST(uint32_t, in->o[0]);
    if (!(in->mod & WARP_SYNC) || in->o[2] & 1 || next_group(w, in->o[2], w->mask) == w->mask) { /* one group */
        uint32_t yes = p & w->mask;
        const uint32_t *on = w->lane;
        LANES d[l] = on[l] ? yes : d[l];
    } else {
        uint32_t out[32];
        FOR_GROUPS(in->o[2])
        for (int l = 0; l < 32; l++)
            if (group >> l & 1) out[l] = p & group;
        for (int l = 0; l < 32; l++)
            if (w->lane[l]) d[l] = out[l];
    }
    MET;
}

/* ---- match: d, a, member mask, p ---- */
/* The lanes of `lanes` that hold what `lane` holds. */
static uint32_t equal_lanes(const struct warp *w, const insn *in, uint32_t lanes, int lane)
{
    if (in->size == 8) {
        const uint64_t *pa = SRC(uint64_t, in->o[1]);
        LANE_BITS(same, pa[l] == pa[lane]);
        return same & lanes;
    }
    const uint32_t *pa = SRC(uint32_t, in->o[1]);
    LANE_BITS(same, pa[l] == pa[lane]);
    return same & lanes;
}
/* For the clock, which treats values as addresses: the number of serial searches.
 */
static void tell_values(const struct warp *w, const insn *in, bool each)
{
    seen_accesses *seen = w->worker->seen;
    if (!(w->watch & WATCH_TIME) || seen->count == SEEN_MOST) return;
    access *a = &seen->list[seen->count++];
    *a = (access){.in = in, .mask = w->mask, .size = in->size, .space = SPACE_REG, .kind = ACCESS_READ};
    for (int l = 0; l < 32 && each; l++)
        a->address[l] = in->size == 8 ? SRC(uint64_t, in->o[1])[l] : SRC(uint32_t, in->o[1])[l];
}
OP_FN(match_any)
{
    MEET(in->o[2]);
    tell_values(w, in, true);
    uint32_t out[32] = {0}, *d = DST(uint32_t, in->o[0]);
    FOR_GROUPS(in->o[2])
    for (uint32_t left = group; left;) {
        uint32_t same = equal_lanes(w, in, group, first_lane(left));
        LANES out[l] = same & lane_bit[l] ? same : out[l];
        left &= ~same;
    }
    for (int l = 0; l < 32; l++)
        if (w->lane[l]) d[l] = out[l];
    MET;
}
OP_FN(match_all)
{
    MEET(in->o[2]);
    tell_values(w, in, false);
    uint32_t out[32] = {0}, all = 0, *d = DST(uint32_t, in->o[0]);
    FOR_GROUPS(in->o[2])
    {
        if (equal_lanes(w, in, group, first_lane(group)) != group) continue;
        all |= group;
        LANES out[l] = group & lane_bit[l] ? group : out[l];
    }
    for (int l = 0; l < 32; l++)
        if (w->lane[l]) d[l] = out[l];
    pred_set(w, in->o[3], all);
    MET;
}

/* ---- redux: d, a, member mask ---- */
/* Orders floats as signed integers; a NaN is handled apart. */
static inline int32_t float_key(uint32_t bits) { return (int32_t)(bits ^ (uint32_t)((int32_t)bits >> 31) >> 1); }
static inline bool float_is_nan(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }
enum { REDUX_ABS = 1, REDUX_NAN = 2 }; /* in->mod2, for floats */
static inline uint32_t float_source(uint32_t bits, uint32_t how)
{
    return float_is_nan(bits) ? 0x7fffffffu : how & REDUX_ABS ? bits & 0x7fffffffu : bits;
}
static inline uint32_t min_float(uint32_t a, uint32_t b, uint32_t how, bool larger)
{
    if (float_is_nan(a)) return how & REDUX_NAN ? a : b;
    if (float_is_nan(b)) return how & REDUX_NAN ? b : a;
    return (float_key(a) < float_key(b)) != larger ? a : b;
}
#define REDUX_OP(name, expr)                                   \
    OP_FN(name)                                                \
    {                                                          \
        MEET(in->o[2]);                                        \
        const uint32_t *pa = SRC(uint32_t, in->o[1]);          \
        uint32_t out[32] = {0}, *d = DST(uint32_t, in->o[0]);  \
        FOR_GROUPS(in->o[2])                                   \
        {                                                      \
            uint32_t a = A_AT(first_lane(group));              \
            for (int l = first_lane(group) + 1; l < 32; l++) { \
                uint32_t b = A_AT(l);                          \
                if (group >> l & 1) a = (expr);                \
            }                                                  \
            LANES out[l] = group & lane_bit[l] ? a : out[l];   \
        }                                                      \
        const uint32_t *on = w->lane;                          \
        LANES d[l] = on[l] ? out[l] : d[l];                    \
        MET;                                                   \
    }
#define A_AT(lane) (pa[lane])
REDUX_OP(redux_add, a + b)
REDUX_OP(redux_min_u, a < b ? a : b)
REDUX_OP(redux_max_u, a > b ? a : b)
REDUX_OP(redux_min_s, (int32_t)a < (int32_t)b ? a : b)
REDUX_OP(redux_max_s, (int32_t)a > (int32_t)b ? a : b)
REDUX_OP(redux_and, a &b)
REDUX_OP(redux_or, a | b)
REDUX_OP(redux_xor, a ^ b)
#undef A_AT
#define A_AT(lane) float_source(pa[lane], in->mod2)
REDUX_OP(redux_min_f, min_float(a, b, in->mod2, false))
REDUX_OP(redux_max_f, min_float(a, b, in->mod2, true))

static const struct redux_row {
    uint16_t suffix;
    op_fn *u, *s, *b, *f;
} redux_rows[] = {
    {S_ADD, redux_add, redux_add, NULL, NULL},
    {S_MIN, redux_min_u, redux_min_s, NULL, redux_min_f},
    {S_MAX, redux_max_u, redux_max_s, NULL, redux_max_f},
    {S_AND, NULL, NULL, redux_and, NULL},
    {S_OR, NULL, NULL, redux_or, NULL},
    {S_XOR, NULL, NULL, redux_xor, NULL},
};

/* ---- elect: d, p, member mask ---- */
OP_FN(elect)
{
    MEET(in->o[2]);
    uint32_t leaders = 0, *d = DST(uint32_t, in->o[0]);
    FOR_GROUPS(in->o[2])
    {
        uint32_t leader = (uint32_t)first_lane(group);
        leaders |= lane_bit[leader];
        for (int l = 0; l < 32; l++)
            if (group >> l & 1) d[l] = leader;
    }
    pred_set(w, in->o[1], leaders);
    MET;
}

OP_FN(activemask)
{
    uint32_t mask = w->mask;
    LANE_STORE(uint32_t, mask);
}

/* ---- selecting ---- */
/* The member mask is the last operand of every .sync form. */
static bool take_sync(form *f)
{
    if (!form_take(f, S_SYNC)) return false;
    f->mod |= WARP_SYNC;
    f->splits = true;
    return true;
}

static bool select_shfl(form *f)
{
    static const uint16_t modes[] = {S_UP, S_DOWN, S_BFLY, S_IDX, S_NONE};
    const ptx_operand *op = f->in->operand;
    bool sync = take_sync(f);
    enum ptx_suffix mode = form_take_any(f, modes);
    enum ptx_type t = form_type(f);
    if (!mode || t != T_B32) return form_refuse(f, "needs .up, .down, .bfly or .idx, and .b32");
    if (!form_operands(f, sync ? 5 : 4, sync ? 5 : 4)) return false;
    f->fn = shfl_fns[mode == S_UP ? SHFL_UP : mode == S_DOWN ? SHFL_DOWN : mode == S_BFLY ? SHFL_BFLY : SHFL_IDX];
    form_def(f, &op[0], t);
    form_use(f, &op[1], t);
    form_use(f, &op[2], T_B32);
    form_use(f, &op[3], T_B32);
    form_def(f, ptx_second(&op[0]), T_PRED);
    if (sync) form_use(f, &op[4], T_B32);
    return true;
}

static bool select_vote(form *f)
{
    static const uint16_t modes[] = {S_ALL, S_ANY, S_UNI, S_BALLOT, S_NONE};
    const ptx_operand *op = f->in->operand;
    bool sync = take_sync(f);
    enum ptx_suffix mode = form_take_any(f, modes);
    enum ptx_type t = form_type(f);
    if (!mode || t != (mode == S_BALLOT ? T_B32 : T_PRED))
        return form_refuse(f, "needs .all, .any, .uni with .pred, or .ballot with .b32");
    if (!form_operands(f, sync ? 3 : 2, sync ? 3 : 2)) return false;
    f->fn = mode == S_BALLOT ? vote_ballot : vote;
    f->mod |= mode == S_ALL ? VOTE_ALL : mode == S_ANY ? VOTE_ANY : mode == S_UNI ? VOTE_UNI : VOTE_BALLOT;
    if (op[1].negated) f->mod |= WARP_INVERT;
    form_def(f, &op[0], t);
    form_use(f, &op[1], T_PRED);
    if (sync) form_use(f, &op[2], T_B32);
    return true;
}

static bool select_match(form *f)
{
    const ptx_operand *op = f->in->operand;
    bool any = form_take(f, S_ANY), all = !any && form_take(f, S_ALL);
    enum ptx_type t = form_type(f);
    if (!take_sync(f) || any == all || (t != T_B32 && t != T_B64))
        return form_refuse(f, "needs .any or .all, .sync, and .b32 or .b64");
    if (!form_operands(f, 3, 3)) return false;
    if (any && op[0].pair) return form_refuse(f, "has a predicate with .all only");
    f->fn = any ? match_any : match_all;
    f->size = (uint8_t)(ptx_bits(t) / 8);
    form_def(f, &op[0], T_B32);
    form_use(f, &op[1], t);
    form_use(f, &op[2], T_B32);
    if (all) form_def(f, ptx_second(&op[0]), T_PRED);
    return true;
}

static bool select_redux(form *f)
{
    const struct redux_row *row = NULL;
    if (!take_sync(f)) return form_refuse(f, "needs .sync");
    for (size_t i = 0; i < sizeof redux_rows / sizeof redux_rows[0] && !row; i++)
        if (form_take(f, (enum ptx_suffix)redux_rows[i].suffix)) row = &redux_rows[i];
    enum ptx_type t = form_type(f);
    if (!row) return form_refuse(f, "needs an operation");
    f->fn = t == T_U32 ? row->u : t == T_S32 ? row->s : t == T_B32 ? row->b : t == T_F32 ? row->f : NULL;
    if (!f->fn) return form_refuse(f, "does not exist for this type");
    if (t == T_F32) f->mod2 = (form_take(f, S_ABS) ? REDUX_ABS : 0u) | (form_take(f, S_NAN) ? REDUX_NAN : 0u);
    form_shape(f, t, t, T_B32, T_NONE);
    return true;
}

static bool select_elect(form *f)
{
    const ptx_operand *op = f->in->operand;
    if (!take_sync(f)) return form_refuse(f, "needs .sync");
    if (!form_operands(f, 2, 2)) return false;
    if (!op[0].pair) return form_refuse(f, "needs two results, d|p");
    f->fn = elect;
    form_def(f, &op[0], T_B32);
    form_def(f, ptx_second(&op[0]), T_PRED);
    form_use(f, &op[1], T_B32);
    return true;
}

static bool select_activemask(form *f)
{
    enum ptx_type t = form_type(f);
    if (t != T_B32) return form_refuse(f, "exists for .b32 only");
    f->fn = activemask;
    form_shape(f, t, T_NONE, T_NONE, T_NONE);
    return true;
}

static bool select_warp(form *f)
{
    f->cls = SIM_CLASS_WARP;
    if (!operands_plain(f, f->in->op == OP_VOTE ? 1u << 1 : 0)) return false;
    switch (f->in->op) {
    case OP_SHFL: return select_shfl(f);
    case OP_VOTE: return select_vote(f);
    case OP_MATCH: return select_match(f);
    case OP_REDUX: return select_redux(f);
    case OP_ELECT: return select_elect(f);
    case OP_ACTIVEMASK: return select_activemask(f);
    default: return false;
    }
}

bool SIM_NAME(select_warp)(form *f) { return select_warp(f) && operands_fit(f); }
