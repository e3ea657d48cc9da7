/* atomic.c: atom and red.
 *
 * Lanes take effect in ascending order; what every lane gets back follows from that. An operation
 * is written as the new value from x, the value in memory, and b and c, the operands. When all
 * lanes hit one address the value stays in a register between them.
 *
 * Floating point: add rounds to nearest. add.f32 flushes subnormal operands and results to zero in
 * global memory, not in shared memory; the half forms (.noftz) and f64 keep them. NaN results are
 * as in ordinary arithmetic (arith_float.c, half.c), except in add_f64. All of this is as on an
 * H200: tests/forms/memory.txt.
 *
 * Places: o[0].. the old values, o[4] the address, o[5], o[6], o[7], o[3] the elements of b (of a
 * vector), o[6] c of cas.
 *
 * Where the memory may be the host's too (sim_map) the processor's own atomic operations make the
 * change, so that none of the host's is lost. 16 bytes have no such operation on every processor.
 */
#include "access.h"
#include "half.h"
#include "exec.h"

/* mod2. From bit ATOM_KIND on: the kind (parallel_bet.h) of the operation without its result, 0:
 * none. ATOM_LOOP: machine code has no such operation on shared memory and uses a loop of
 * compare-and-swap. */
enum { ATOM_NO_RESULT = 1, ATOM_CAS = 2, ATOM_LOOP = 4, ATOM_KIND = 4 };

static const uint8_t element_place[4] = {5, 6, 7, 3};

static inline bool atom_reach(struct warp *w, const insn *in, uint32_t bytes, reach *r)
{
    /* a lane that polls with atomics makes progress that others may wait for */
    note_looks(w, in, !(in->mod2 & ATOM_NO_RESULT));
    if (!reach_lanes(w, in, bytes, ACCESS_ATOMIC, r)) return false;
    if (SIM_UNLIKELY(w->worker->bet != NULL) && w->worker->launch->bet &&
        !bet_reach(w, in, r, bytes, ACCESS_ATOMIC, in->mod2 & ATOM_NO_RESULT ? in->mod2 >> ATOM_KIND : 0))
        return false;
    if (!w->watch || memory_watch(w, in, r, bytes, ACCESS_ATOMIC, in->order, NULL, in->mod2 & ATOM_NO_RESULT))
        return true;
    bet_done(w);
    return false;
}

static inline bool one_address(const struct warp *w, char *const *host)
{
    uintptr_t x = 0;
    for (int l = 0; l < 32; l++) x |= (uintptr_t)host[l] ^ (uintptr_t)host[0];
    return !x && w->mask == UINT32_MAX;
}

static inline bool is_global(const reach *r, int l) { return (r->space ? r->space : r->spaces[l]) == SPACE_GLOBAL; }

/* Tells the clock (memory_time/cas_loops.c) that it is such a loop, and which lanes changed the
 * value that they found. */
static inline void tell_loop(const struct warp *w, const insn *in, const reach *r, uint32_t changed)
{
    seen_accesses *seen = w->worker->seen;
    if (SIM_LIKELY(!(in->mod2 & ATOM_LOOP) || !seen || seen->count != 1 || r->space != SPACE_SHARED)) return;
    seen->list[0].loops = true;
    seen->list[0].changed = changed & w->mask;
}

/* ---- one lane's new value, where it takes more than an expression ---- */
static inline uint32_t add_f32(uint32_t x, uint32_t b, bool flush)
{
    if (flush) return f32_flush_bits(f32_out(f32_flush(bits_f32(x)) + f32_flush(bits_f32(b))));
    return f32_out(bits_f32(x) + bits_f32(b));
}
/* Not in global memory the first NaN becomes quiet. */
static inline uint64_t add_f64(uint64_t x, uint64_t b, bool global)
{
    const uint64_t quiet = UINT64_C(1) << 51;
    double a = bits_f64(x), c = bits_f64(b), sum = a + c;
    if (global) return f64_added_in_memory(x, b);
    if (a != a) return x | quiet;
    if (c != c) return b | quiet;
    return sum != sum ? UINT64_C(0xfff8000000000000) : f64_bits(sum);
}
static inline uint32_t add_f16(uint32_t x, uint32_t b)
{
    return f32_to_f16(f16_to_f32(x & 0xffffu) + f16_to_f32(b & 0xffffu), ROUND_RN);
}
static inline uint32_t add_bf16(uint32_t x, uint32_t b)
{
    return f32_to_bf16(bf16_to_f32(x & 0xffffu) + bf16_to_f32(b & 0xffffu), ROUND_RN);
}
/* min and max of 16-bit floats with infinity `inf`: a number wins over a NaN, -0 is less than +0.
 */
static inline uint32_t order_half(uint32_t x, uint32_t b, uint32_t inf, bool smaller)
{
    x &= 0xffffu;
    b &= 0xffffu;
    bool x_nan = (x & 0x7fffu) > inf, b_nan = (b & 0x7fffu) > inf;
    if (x_nan) return b_nan ? 0x7fffu : b;
    if (b_nan) return x;
    uint32_t kx = x & 0x8000u ? 0xffffu - x : x | 0x8000u, kb = b & 0x8000u ? 0xffffu - b : b | 0x8000u;
    return (kx < kb) == smaller ? x : b;
}
#define IN_BOTH(f, ...) (f(x & 0xffffu, b & 0xffffu, __VA_ARGS__) | f(x >> 16, b >> 16, __VA_ARGS__) << 16)
#define IN_PAIR(f)      (f(x & 0xffffu, b & 0xffffu) | f(x >> 16, b >> 16) << 16)

/* ---- sums that blocks on several host threads defer ---- */
static void add_sums(const bet_sum *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if ((uintptr_t)list[i].at & 1) {
            uint64_t x;
            memcpy(&x, list[i].at - 1, sizeof x);
            x = add_f64(x, list[i].bits, true);
            memcpy(list[i].at - 1, &x, sizeof x);
        } else {
            uint32_t x;
            memcpy(&x, list[i].at, sizeof x);
            x = add_f32(x, (uint32_t)list[i].bits, true);
            memcpy(list[i].at, &x, sizeof x);
        }
    }
}

NEVER_INLINE const insn *defer(struct warp *w, const insn *in, const reach *r, const void *b, uint32_t bytes)
{
    return bet_defer(w, r, b, bytes, add_sums) ? in + 1 : NULL;
}

/* ---- the operations ---- */
/* ATOM(name, type in memory, type of the place, new value) */
#define ATOMS(X)                                                    \
    X(add_32, uint32_t, uint32_t, x + b)                            \
    X(add_64, uint64_t, uint64_t, x + b)                            \
    X(and_32, uint32_t, uint32_t, x &b)                             \
    X(and_64, uint64_t, uint64_t, x &b)                             \
    X(or_32, uint32_t, uint32_t, x | b)                             \
    X(or_64, uint64_t, uint64_t, x | b)                             \
    X(xor_32, uint32_t, uint32_t, x ^ b)                            \
    X(xor_64, uint64_t, uint64_t, x ^ b)                            \
    X(min_u32, uint32_t, uint32_t, x < b ? x : b)                   \
    X(min_u64, uint64_t, uint64_t, x < b ? x : b)                   \
    X(min_s32, uint32_t, uint32_t, (int32_t)x < (int32_t)b ? x : b) \
    X(min_s64, uint64_t, uint64_t, (int64_t)x < (int64_t)b ? x : b) \
    X(max_u32, uint32_t, uint32_t, x > b ? x : b)                   \
    X(max_u64, uint64_t, uint64_t, x > b ? x : b)                   \
    X(max_s32, uint32_t, uint32_t, (int32_t)x > (int32_t)b ? x : b) \
    X(max_s64, uint64_t, uint64_t, (int64_t)x > (int64_t)b ? x : b) \
    X(inc_32, uint32_t, uint32_t, x >= b ? 0 : x + 1)               \
    X(dec_32, uint32_t, uint32_t, x == 0 || x > b ? b : x - 1)      \
    X(exch_32, uint32_t, uint32_t, b)                               \
    X(exch_64, uint64_t, uint64_t, b)                               \
    X(cas_16, uint16_t, uint32_t, x == b ? c : x)                   \
    X(cas_32, uint32_t, uint32_t, x == b ? c : x)                   \
    X(cas_64, uint64_t, uint64_t, x == b ? c : x)                   \
    X(add_f64, uint64_t, uint64_t, add_f64(x, b, is_global(at, l))) \
    X(add_f32, uint32_t, uint32_t, add_f32(x, b, is_global(at, l)))
/* Operations that also come as vectors. */
#define VECTOR_ATOMS(X)                                                   \
    X(vadd_f32, uint32_t, uint32_t, add_f32(x, b, is_global(at, l)))      \
    X(add_f16, uint16_t, uint32_t, add_f16(x, b))                         \
    X(min_f16, uint16_t, uint32_t, order_half(x, b, 0x7c00u, true))       \
    X(max_f16, uint16_t, uint32_t, order_half(x, b, 0x7c00u, false))      \
    X(add_bf16, uint16_t, uint32_t, add_bf16(x, b))                       \
    X(min_bf16, uint16_t, uint32_t, order_half(x, b, 0x7f80u, true))      \
    X(max_bf16, uint16_t, uint32_t, order_half(x, b, 0x7f80u, false))     \
    X(add_f16x2, uint32_t, uint32_t, IN_PAIR(add_f16))                    \
    X(min_f16x2, uint32_t, uint32_t, IN_BOTH(order_half, 0x7c00u, true))  \
    X(max_f16x2, uint32_t, uint32_t, IN_BOTH(order_half, 0x7c00u, false)) \
    X(add_bf16x2, uint32_t, uint32_t, IN_PAIR(add_bf16))                  \
    X(min_bf16x2, uint32_t, uint32_t, IN_BOTH(order_half, 0x7f80u, true)) \
    X(max_bf16x2, uint32_t, uint32_t, IN_BOTH(order_half, 0x7f80u, false))

/* Memory that the host may change at the same moment. Lanes in several allocations: some may be. */
static inline bool host_shares(const struct warp *w, const reach *r)
{
    return w->worker->launch->s->mem.shared && (r->space == SPACE_GLOBAL || r->space == SPACE_NONE) &&
           (!r->al || r->al->is_shared);
}

#define SHARED_ATOM_FN(name, m, p, e)                                                       \
    NEVER_INLINE const insn *shared_##name(struct warp *w, const insn *in, const reach *at) \
    {                                                                                       \
        p unwanted[32], *d = in->mod2 & ATOM_NO_RESULT ? unwanted : DST(p, in->o[0]);       \
        const p *pb = SRC(p, in->o[5]), *pc = SRC(p, in->o[in->mod2 & ATOM_CAS ? 6 : 5]);   \
        for (int l = 0; l < 32; l++) {                                                      \
            if (!(w->mask >> l & 1)) continue;                                              \
            _Atomic m *to = (_Atomic m *)(void *)at->host[l];                               \
            m x = atomic_load(to), b = (m)pb[l], c = (m)pc[l], next;                        \
            (void)b, (void)c;                                                               \
            do next = (m)(e);                                                               \
            while (!atomic_compare_exchange_weak(to, &x, next));                            \
            d[l] = x;                                                                       \
        }                                                                                   \
        bet_done(w);                                                                        \
        return in + 1;                                                                      \
    }
ATOMS(SHARED_ATOM_FN)

#define ATOM_FN(name, m, p, e)                                                  \
    OP_FN(atom_##name)                                                          \
    {                                                                           \
        reach r;                                                                \
        p unwanted[32];                                                         \
        if (!atom_reach(w, in, sizeof(m), &r)) return NULL;                     \
        const p *pb = SRC(p, in->o[5]);                                         \
        if (SIM_UNLIKELY(bet_later(w))) return defer(w, in, &r, pb, sizeof(p)); \
        if (SIM_UNLIKELY(host_shares(w, &r))) return shared_##name(w, in, &r);  \
        const reach *const at = &r;                                             \
        (void)at;                                                               \
        const p *pc = SRC(p, in->o[in->mod2 & ATOM_CAS ? 6 : 5]);               \
        p *d = in->mod2 & ATOM_NO_RESULT ? unwanted : DST(p, in->o[0]);         \
        const uint32_t mask = w->mask;                                          \
        uint32_t changed = 0;                                                   \
        if (one_address(w, r.host)) {                                           \
            m x;                                                                \
            memcpy(&x, r.host[0], sizeof x);                                    \
            for (int l = 0; l < 32; l++) {                                      \
                m b = (m)pb[l], c = (m)pc[l], old = x;                          \
                (void)b, (void)c;                                               \
                x = (m)(e);                                                     \
                changed |= (uint32_t)(x != old) << l;                           \
                d[l] = old;                                                     \
            }                                                                   \
            memcpy(r.host[0], &x, sizeof x);                                    \
            tell_loop(w, in, &r, changed);                                      \
            bet_done(w);                                                        \
            return in + 1;                                                      \
        }                                                                       \
        for (int l = 0; l < 32; l++) {                                          \
            if (!(mask >> l & 1)) continue;                                     \
            m x, b = (m)pb[l], c = (m)pc[l], next;                              \
            (void)b, (void)c;                                                   \
            memcpy(&x, r.host[l], sizeof x);                                    \
            next = (m)(e);                                                      \
            changed |= (uint32_t)(next != x) << l;                              \
            memcpy(r.host[l], &next, sizeof next);                              \
            d[l] = x;                                                           \
        }                                                                       \
        tell_loop(w, in, &r, changed);                                          \
        bet_done(w);                                                            \
        return in + 1;                                                          \
    }
ATOMS(ATOM_FN)

/* Each element by itself is atomic. All lanes take effect on one element before the next; no thread
 * can see that. */
#define VECTOR_ATOM_FN(name, m, p, e)                                                                             \
    OP_FN(atom_##name)                                                                                            \
    {                                                                                                             \
        reach r;                                                                                                  \
        if (!atom_reach(w, in, (uint32_t)sizeof(m) * in->count, &r)) return NULL;                                 \
        const bool shares = host_shares(w, &r);                                                                   \
        const reach *const at = &r;                                                                               \
        (void)at;                                                                                                 \
        for (uint32_t k = 0; k < in->count; k++) {                                                                \
            const p *pb = SRC(p, in->o[element_place[k]]);                                                        \
            p unwanted[32], *d = in->mod2 & ATOM_NO_RESULT ? unwanted : DST(p, in->o[k]);                         \
            for (int l = 0; l < 32; l++) {                                                                        \
                if (!(w->mask >> l & 1)) continue;                                                                \
                m x, b = (m)pb[l], next;                                                                          \
                char *to = r.host[l] + k * sizeof(m);                                                             \
                memcpy(&x, to, sizeof x);                                                                         \
                next = (m)(e);                                                                                    \
                while (shares && !atomic_compare_exchange_weak((_Atomic m *)(void *)to, &x, next)) next = (m)(e); \
                if (!shares) memcpy(to, &next, sizeof next);                                                      \
                d[l] = x;                                                                                         \
            }                                                                                                     \
        }                                                                                                         \
        return in + 1;                                                                                            \
    }
VECTOR_ATOMS(VECTOR_ATOM_FN)

/* 128 bits: exch, and cas when mod2 says so. */
OP_FN(atom_128)
{
    reach r;
    if (!atom_reach(w, in, 16, &r)) return NULL;
    for (int l = 0; l < 32; l++) {
        if (!(w->mask >> l & 1)) continue;
        char old[16], b[16], c[16];
        memcpy(old, r.host[l], 16);
        memcpy(b, SRC(char, in->o[5]) + 16 * l, 16);
        memcpy(c, in->mod2 & ATOM_CAS ? SRC(char, in->o[6]) + 16 * l : b, 16);
        if (!(in->mod2 & ATOM_CAS) || !memcmp(old, b, 16)) memcpy(r.host[l], c, 16);
        if (!(in->mod2 & ATOM_NO_RESULT)) memcpy(w->regs + in->o[0] + 16 * l, old, 16);
    }
    return in + 1;
}

/* ---- selecting ---- */
typedef struct atom_row {
    uint16_t op;
    uint8_t type;
    bool vector; /* .v2 and so on exist */
    bool noftz;  /* must be said */
    op_fn *fn;
} atom_row;

static const atom_row rows[] = {
    {S_ADD, T_U32, false, false, atom_add_32},      {S_ADD, T_S32, false, false, atom_add_32},
    {S_ADD, T_U64, false, false, atom_add_64},      {S_ADD, T_S64, false, false, atom_add_64},
    {S_ADD, T_F32, false, false, atom_add_f32},     {S_ADD, T_F64, false, false, atom_add_f64},
    {S_AND, T_B32, false, false, atom_and_32},      {S_AND, T_B64, false, false, atom_and_64},
    {S_OR, T_B32, false, false, atom_or_32},        {S_OR, T_B64, false, false, atom_or_64},
    {S_XOR, T_B32, false, false, atom_xor_32},      {S_XOR, T_B64, false, false, atom_xor_64},
    {S_MIN, T_U32, false, false, atom_min_u32},     {S_MIN, T_S32, false, false, atom_min_s32},
    {S_MIN, T_U64, false, false, atom_min_u64},     {S_MIN, T_S64, false, false, atom_min_s64},
    {S_MAX, T_U32, false, false, atom_max_u32},     {S_MAX, T_S32, false, false, atom_max_s32},
    {S_MAX, T_U64, false, false, atom_max_u64},     {S_MAX, T_S64, false, false, atom_max_s64},
    {S_INC, T_U32, false, false, atom_inc_32},      {S_DEC, T_U32, false, false, atom_dec_32},
    {S_EXCH, T_B32, false, false, atom_exch_32},    {S_EXCH, T_B64, false, false, atom_exch_64},
    {S_EXCH, T_B128, false, false, atom_128},       {S_CAS, T_B16, false, false, atom_cas_16},
    {S_CAS, T_B32, false, false, atom_cas_32},      {S_CAS, T_B64, false, false, atom_cas_64},
    {S_CAS, T_B128, false, false, atom_128},        {S_ADD, T_F16, true, true, atom_add_f16},
    {S_MIN, T_F16, true, true, atom_min_f16},       {S_MAX, T_F16, true, true, atom_max_f16},
    {S_ADD, T_BF16, true, true, atom_add_bf16},     {S_MIN, T_BF16, true, true, atom_min_bf16},
    {S_MAX, T_BF16, true, true, atom_max_bf16},     {S_ADD, T_F16X2, true, true, atom_add_f16x2},
    {S_MIN, T_F16X2, true, true, atom_min_f16x2},   {S_MAX, T_F16X2, true, true, atom_max_f16x2},
    {S_ADD, T_BF16X2, true, true, atom_add_bf16x2}, {S_MIN, T_BF16X2, true, true, atom_min_bf16x2},
    {S_MAX, T_BF16X2, true, true, atom_max_bf16x2}, {S_ADD, T_F32, true, false, atom_vadd_f32},
};

static const atom_row *find_row(uint16_t op, enum ptx_type t, bool vector)
{
    const atom_row *scalar_half = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].op != op || rows[i].type != t) continue;
        if (rows[i].vector == vector) return &rows[i];
        if (rows[i].vector && rows[i].noftz && op == S_ADD) scalar_half = &rows[i];
    }
    return vector ? NULL : scalar_half; /* add of one half: a vector of one */
}

static void unused_up_to(form *f, int slots)
{
    while (f->slots < slots) f->slot[f->slots++] = (struct form_slot){NULL, T_NONE, SLOT_UNUSED};
}

/* An operand must be a register (or constant) of the type's width. */
static bool fits(form *f, const ptx_operand *op, enum ptx_type t, bool result)
{
    int bits = operand_bits(f, op);
    if (bits < 0 || (bits && bits != ptx_bits(t)) || (op->kind == O_NONE && !result) ||
        (result && op->kind != O_REG && op->kind != O_NONE))
        return form_refuse(f, "has an operand that does not fit its type");
    return true;
}

/* Integer operations of one kind may be applied in any order, sums of floats at the end of the
 * launch; 0 for all others. */
static uint32_t kind_of(uint16_t op, enum ptx_type t, int count)
{
    static const uint16_t kinds[] = {S_ADD, S_AND, S_OR, S_XOR, S_MIN, S_MAX};
    if (op == S_ADD && count == 1 && (t == T_F32 || t == T_F64)) return t == T_F32 ? BET_SUM_F32 : BET_SUM_F64;
    if (strchr("FH", ptx_types[t].kind) || ptx_bits(t) < 32) return 0;
    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i] == op) return 1 + i + (i >= 4 && ptx_types[t].kind == 'S' ? 2 : 0);
    return 0;
}

bool SIM_NAME(select_atomic)(form *f)
{
    static const uint16_t ops[] = {S_ADD, S_AND, S_OR, S_XOR, S_MIN, S_MAX, S_INC, S_DEC, S_EXCH, S_CAS, S_NONE};
    const bool red = f->in->op == OP_RED;
    if (red && form_take(f, S_ASYNC)) return SIM_NAME(select_async_store)(f);
    f->cls = SIM_CLASS_ATOMIC;
    f->has_slot = true;
    uint8_t order = form_take(f, S_ACQUIRE)   ? ORDER_ACQUIRE
                    : form_take(f, S_RELEASE) ? ORDER_RELEASE
                    : form_take(f, S_ACQ_REL) ? ORDER_ACQ_REL
                                              : ORDER_VOLATILE;
    form_take(f, S_RELAXED);
    f->order = (uint8_t)(order | take_scope(f));
    f->space = take_space(f);
    if (f->space != SPACE_NONE && f->space != SPACE_GLOBAL && f->space != SPACE_SHARED && f->space != SPACE_CLUSTER)
        return form_refuse(f, "works on global and shared memory only");
    if (f->in->operand_count > !red && !take_space_of(f, &f->in->operand[!red])) return false;
    uint16_t op = (uint16_t)form_take_any(f, ops);
    bool policy = form_take(f, S_L2_CACHE_HINT), noftz = form_take(f, S_NOFTZ);
    int count = form_take(f, S_V2) ? 2 : form_take(f, S_V4) ? 4 : form_take(f, S_V8) ? 8 : 1;
    enum ptx_type t = form_type(f);
    const atom_row *row = find_row(op, t, count > 1);
    if (!row || (red && (op == S_CAS || op == S_EXCH))) return form_refuse(f, "does not exist for this type");
    if (row->noftz && !noftz) return form_refuse(f, "needs .noftz");
    if (!row->noftz && noftz) return form_refuse(f, "has no .noftz for this type");
    if (count > 1 && (f->space == SPACE_SHARED || f->space == SPACE_CLUSTER))
        return form_refuse(f, "works on vectors in global memory only");
    int bytes = ptx_bits(t) / 8, values = op == S_CAS ? 2 : 1, first = red ? 0 : 1;
    if (count * bytes > 16) return form_refuse(f, "changes more than 16 bytes per thread");
    if (!form_operands(f, first + 1 + values + policy, first + 1 + values + policy)) return false;
    const ptx_operand *o = f->in->operand;
    bool result = !red && !f->dead_result && o[0].kind != O_NONE;
    if (count == 8) return form_refuse(f, "is not supported here on vectors of eight");
    if (count == 4 && result)
        return form_refuse(f, "returns no old values here on vectors of four: leave the result unused, or use red");
    f->fn = row->fn;
    f->size = (uint8_t)bytes;
    f->count = (uint8_t)count;
    const bool native = op == S_CAS || op == S_EXCH || (bytes == 4 && !strchr("FH", ptx_types[t].kind));
    f->mod2 = (result ? 0 : ATOM_NO_RESULT) | (op == S_CAS ? ATOM_CAS : 0) | (native ? 0 : ATOM_LOOP);
    /* Blocks that share a word by atomics of block scope race, so these get no kind. */
    if ((f->order & ORDER_SCOPE_SYS) >= ORDER_SCOPE_GPU) f->mod2 |= kind_of(op, t, count) << ATOM_KIND;
    const ptx_operand *b = &o[first + 1];
    if (count > 1) {
        if (b->kind != O_VECTOR || b->count != count ||
            (!red && o[0].kind != O_NONE && (o[0].kind != O_VECTOR || o[0].count != count)))
            return form_refuse(f, "has a number of elements that does not match its vector suffix");
        for (int k = 0; k < count; k++) {
            if (!fits(f, &b->elements[k], t, false) || (result && !fits(f, &o[0].elements[k], t, true))) return false;
            if (result) form_def(f, o[0].elements[k].kind == O_NONE ? NULL : &o[0].elements[k], t);
        }
        unused_up_to(f, 3);
        if (count == 4) form_use(f, &b->elements[3], t);
    } else {
        if (!fits(f, b, t, false) || (values == 2 && !fits(f, &b[1], t, false)) || (!red && !fits(f, &o[0], t, true)))
            return false;
        if (result) form_def(f, &o[0], t);
    }
    form_address(f, &o[first]);
    if (count > 1) {
        for (int k = 0; k < count && k < 3; k++) form_use(f, &b->elements[k], t);
    } else {
        form_use(f, b, t);
        if (values == 2) form_use(f, &b[1], t);
    }
    return !f->why;
}
