/* compare.c: setp and set.
 *
 * Each comparison gives a word with a bit per lane. Few comparisons are needed: a > b is b < a with
 * the sources exchanged, a != b is the inverse of a == b, and for floats the unordered ones are the
 * inverses of the ordered ones. The selector names the comparison and says in in->mod what is done
 * with its word. For every comparison there are three functions: plain setp; setp combined with
 * another predicate or with two results; and set.
 *
 * Halves are compared as integers: sign and magnitude turned into two's complement keeps the order.
 */
#include "branch.h"
#include "ints.h"

static inline uint32_t cmp_combine(const struct insn *in, uint32_t word, uint32_t c)
{
    if (in->mod & CMP_C_INVERTED) c = ~c;
    switch (in->mod & CMP_COMBINE) {
    case CMP_AND: return word & c;
    case CMP_OR: return word | c;
    case CMP_XOR: return word ^ c;
    default: return word;
    }
}

/* Both results of setp: p in o[0] and q, from the inverse comparison (or the other half), in o[3];
 * c in o[4]. */
static const insn *setp_two(struct warp *w, const insn *in, uint32_t p, uint32_t q)
{
    uint32_t c = in->mod & CMP_COMBINE ? pred_get(w, in->o[4]) : 0;
    pred_set(w, in->o[0], cmp_combine(in, p, c));
    pred_set(w, in->o[3], cmp_combine(in, q, c));
    return in + 1;
}

/* set: mod2 where true, 0 where false. c in o[3]. */
static const insn *set_store(struct warp *w, const insn *in, uint32_t word)
{
    uint32_t one = in->mod2;
    word = cmp_combine(in, word, in->mod & CMP_COMBINE ? pred_get(w, in->o[3]) : 0);
    LANE_STORE(uint32_t, word & lane_bit[l] ? one : 0);
}

/* set on pairs of halves: each half of mod2 goes with its own comparison. */
static const insn *set_store_pair(struct warp *w, const insn *in, uint32_t low, uint32_t high)
{
    uint32_t one_low = in->mod2 & 0xffff, one_high = in->mod2 & 0xffff0000u;
    uint32_t c = in->mod & CMP_COMBINE ? pred_get(w, in->o[3]) : 0;
    low = cmp_combine(in, low, c);
    high = cmp_combine(in, high, c);
    LANE_STORE(uint32_t, (low & lane_bit[l] ? one_low : 0) | (high & lane_bit[l] ? one_high : 0));
}

/* The word of a comparison. A comparison of several conditions is computed first and gathered
 * later: otherwise gcc would turn the conditions into branches. */
#define WORD_OF_ONE(how, name, T, expr)                         \
    how uint32_t name(const struct warp *w, const insn *in)     \
    {                                                           \
        const T *pa = SRC(T, in->o[1]), *pb = SRC(T, in->o[2]); \
        LANE_BITS(word, expr);                                  \
        return in->mod & CMP_INVERT ? ~word : word;             \
    }
#ifdef VECTOR_BITS
#define WORD_BY_VECTOR(how, name, T, relation)                                                                     \
    how uint32_t name(const struct warp *w, const insn *in)                                                        \
    {                                                                                                              \
        const VECTOR_OF(T) *pa = SRC(VECTOR_OF(T), in->o[1]), *pb = SRC(VECTOR_OF(T), in->o[2]);                   \
        uint32_t word = 0;                                                                                         \
        for (unsigned l = 0; l < VECTORS(T); l++) word |= VECTOR_BITS(T, relation, A, B) << (32 / VECTORS(T) * l); \
        return in->mod & CMP_INVERT ? ~word : word;                                                                \
    }
#else
#define WORD_BY_VECTOR(how, name, T, relation) WORD_OF_ONE(how, name, T, A IS_##relation B)
#endif
#define WORD_OF_MORE(how, name, T, expr)                        \
    how uint32_t name(const struct warp *w, const insn *in)     \
    {                                                           \
        const T *pa = SRC(T, in->o[1]), *pb = SRC(T, in->o[2]); \
        uint32_t yes[32];                                       \
        LANES yes[l] = (expr);                                  \
        LANE_BITS(word, yes[l]);                                \
        return in->mod & CMP_INVERT ? ~word : word;             \
    }
#define COMPARE(name, T, expr) COMPARE_BY(WORD_OF_ONE, name, T, expr)
#define COMPARE_BY(WORD, name, T, expr)                                                                     \
    WORD(static inline, name##_word, T, expr)                                                               \
    COMPARE_PLAIN(name)                                                                                     \
    NEVER_INLINE uint32_t name##_apart(const struct warp *w, const insn *in) { return name##_word(w, in); } \
    COMPARE_MORE(name, name##_apart)
/* Of the rarer types: one copy of the comparison serves all. */
#define COMPARE_RARE(name, T, expr)                  \
    WORD_OF_MORE(NEVER_INLINE, name##_word, T, expr) \
    COMPARE_PLAIN(name)                              \
    COMPARE_MORE(name, name##_word)
#define COMPARE_PLAIN(name)                                                 \
    OP_FN(name##_setp)                                                      \
    {                                                                       \
        pred_set(w, in->o[0], name##_word(w, in));                          \
        return in + 1;                                                      \
    }                                                                       \
    OP_FN(name##_setp_branch)                                               \
    {                                                                       \
        const uint32_t word = name##_word(w, in);                           \
        pred_set(w, in->o[0], word);                                        \
        return SIM_UNLIKELY(w->stepped) ? in + 1 : branch(w, in + 1, word); \
    }
#define COMPARE_MORE(name, word_of)          \
    OP_FN(name##_setp_two)                   \
    {                                        \
        uint32_t word = word_of(w, in);      \
        return setp_two(w, in, word, ~word); \
    }                                        \
    OP_FN(name##_set) { return set_store(w, in, word_of(w, in)); }
#define FNS(name)                                                    \
    {                                                                \
        name##_setp, name##_setp_two, name##_set, name##_setp_branch \
    }
enum { SETP_PLAIN, SETP_TWO, SET_VALUE, SETP_BRANCH, CMP_FORMS };

/* ---- integers ---- */
COMPARE(eq_16, uint32_t, (uint16_t)A == (uint16_t)B)
COMPARE_BY(WORD_BY_VECTOR, eq_32, uint32_t, EQ)
COMPARE_BY(WORD_BY_VECTOR, eq_64, uint64_t, EQ)
COMPARE(lt_u16, uint32_t, (uint16_t)A < (uint16_t)B)
COMPARE_BY(WORD_BY_VECTOR, lt_u32, uint32_t, LT)
COMPARE_BY(WORD_BY_VECTOR, lt_u64, uint64_t, LT)
COMPARE(lt_s16, uint32_t, (int16_t)A < (int16_t)B)
COMPARE_BY(WORD_BY_VECTOR, lt_s32, int32_t, LT)
COMPARE_BY(WORD_BY_VECTOR, lt_s64, int64_t, LT)
static op_fn *const int_fns[2][INT_TYPES][CMP_FORMS] = {
    {FNS(eq_16), FNS(eq_32), FNS(eq_64), FNS(eq_16), FNS(eq_32), FNS(eq_64)},
    {FNS(lt_u16), FNS(lt_u32), FNS(lt_u64), FNS(lt_s16), FNS(lt_s32), FNS(lt_s64)}};

/* ---- floats ---- */
#define FLOAT_COMPARES(name, T)                                                   \
    COMPARE_BY(WORD_BY_VECTOR, eq_##name, T, EQ)                                  \
    COMPARE_BY(WORD_OF_MORE, lg_##name, T, (uint32_t)(A < B) | (uint32_t)(A > B)) \
    COMPARE_BY(WORD_BY_VECTOR, lt_##name, T, LT)                                  \
    COMPARE_BY(WORD_BY_VECTOR, le_##name, T, LE)                                  \
    COMPARE_BY(WORD_OF_MORE, num_##name, T, (uint32_t)(A == A) & (uint32_t)(B == B))
FLOAT_COMPARES(f32, float)
FLOAT_COMPARES(f64, double)

/* The same on the bits of a float of any width, where the host has no type: halves, and floats
 * whose subnormals count as zero. `sign` is the sign bit, `inf` the bits of infinity; anything
 * larger is NaN. */
static inline int32_t bits_key(uint32_t bits, uint32_t sign)
{
    int32_t magnitude = (int32_t)(bits & (sign - 1));
    return bits & sign ? 0 - magnitude : magnitude;
}
static inline uint32_t bits_flushed(uint32_t bits, uint32_t inf) { return bits & (0 - (uint32_t)((bits & inf) != 0)); }
static inline uint32_t bits_kept(uint32_t bits, uint32_t inf) { return (void)inf, bits; }
#define BITS_NUM(a, b, sign, inf) ((uint32_t)(((a) & (sign - 1)) <= (inf)) & (uint32_t)(((b) & (sign - 1)) <= (inf)))
#define BITS_EQ(a, b, sign, inf)  (BITS_NUM(a, b, sign, inf) & (uint32_t)(bits_key(a, sign) == bits_key(b, sign)))
#define BITS_LG(a, b, sign, inf)  (BITS_NUM(a, b, sign, inf) & (uint32_t)(bits_key(a, sign) != bits_key(b, sign)))
#define BITS_LT(a, b, sign, inf)  (BITS_NUM(a, b, sign, inf) & (uint32_t)(bits_key(a, sign) < bits_key(b, sign)))
#define BITS_LE(a, b, sign, inf)  (BITS_NUM(a, b, sign, inf) & (uint32_t)(bits_key(a, sign) <= bits_key(b, sign)))
#define BITS_COMPARES(X, name, sign, inf, flush) \
    X(eq_##name, BITS_EQ, sign, inf, flush)      \
    X(lg_##name, BITS_LG, sign, inf, flush)      \
    X(lt_##name, BITS_LT, sign, inf, flush)      \
    X(le_##name, BITS_LE, sign, inf, flush)      \
    X(num_##name, BITS_NUM, sign, inf, flush)
#define BITS_COMPARE(name, F, sign, inf, flush) COMPARE_RARE(name, uint32_t, F(flush(A, inf), flush(B, inf), sign, inf))
BITS_COMPARES(BITS_COMPARE, f32_ftz, 0x80000000u, 0x7f800000u, bits_flushed)
BITS_COMPARES(BITS_COMPARE, f16, 0x8000u, 0x7c00u, bits_kept)
BITS_COMPARES(BITS_COMPARE, f16_ftz, 0x8000u, 0x7c00u, bits_flushed)
BITS_COMPARES(BITS_COMPARE, bf16, 0x8000u, 0x7f80u, bits_kept)

/* Pairs of halves compare twice: `word` for the lower ones, `high` for the upper ones. */
#define LOW(x)  ((x)&0xffff)
#define HIGH(x) ((x) >> 16)
#define PAIR_COMPARE(name, F, sign, inf, flush)                                                               \
    WORD_OF_MORE(NEVER_INLINE, name##_low, uint32_t, F(flush(LOW(A), inf), flush(LOW(B), inf), sign, inf))    \
    WORD_OF_MORE(NEVER_INLINE, name##_high, uint32_t, F(flush(HIGH(A), inf), flush(HIGH(B), inf), sign, inf)) \
    OP_FN(name##_setp_two) { return setp_two(w, in, name##_low(w, in), name##_high(w, in)); }                 \
    OP_FN(name##_set) { return set_store_pair(w, in, name##_low(w, in), name##_high(w, in)); }
#define PAIR_FNS(name)                          \
    {                                           \
        NULL, name##_setp_two, name##_set, NULL \
    }
BITS_COMPARES(PAIR_COMPARE, f16x2, 0x8000u, 0x7c00u, bits_kept)
BITS_COMPARES(PAIR_COMPARE, f16x2_ftz, 0x8000u, 0x7c00u, bits_flushed)
BITS_COMPARES(PAIR_COMPARE, bf16x2, 0x8000u, 0x7f80u, bits_kept)

enum { C_EQ, C_LG, C_LT, C_LE, C_NUM, C_KINDS };
enum { F_F32, F_F32_FTZ, F_F64, F_F16, F_F16_FTZ, F_BF16, F_F16X2, F_F16X2_FTZ, F_BF16X2, F_TYPES };
#define ONES(name)                                                                      \
    {                                                                                   \
        FNS(eq_##name), FNS(lg_##name), FNS(lt_##name), FNS(le_##name), FNS(num_##name) \
    }
#define PAIRS(name)                                                                                              \
    {                                                                                                            \
        PAIR_FNS(eq_##name), PAIR_FNS(lg_##name), PAIR_FNS(lt_##name), PAIR_FNS(le_##name), PAIR_FNS(num_##name) \
    }
static op_fn *const float_fns[F_TYPES][C_KINDS][CMP_FORMS] = {ONES(f32),    ONES(f32_ftz),    ONES(f64),
                                                              ONES(f16),    ONES(f16_ftz),    ONES(bf16),
                                                              PAIRS(f16x2), PAIRS(f16x2_ftz), PAIRS(bf16x2)};

/* ---- selecting ---- */
/* How each comparison is written with the few there are. `types` that have it: u(nsigned),
 * s(igned), b(its), f(loat). */
typedef struct written {
    uint8_t kind;
    bool swap, invert;
} written;
static const struct comparison {
    uint16_t suffix;
    const char *types;
    written i, f;
} comparisons[] = {
    {S_EQ, "usbf", {C_EQ, false, false}, {C_EQ, false, false}},
    {S_NE, "usbf", {C_EQ, false, true}, {C_LG, false, false}},
    {S_LT, "usf", {C_LT, false, false}, {C_LT, false, false}},
    {S_LE, "usf", {C_LT, true, true}, {C_LE, false, false}}, /* integers: !(b < a) */
    {S_GT, "usf", {C_LT, true, false}, {C_LT, true, false}},
    {S_GE, "usf", {C_LT, false, true}, {C_LE, true, false}},
    {S_LO, "u", {C_LT, false, false}, {0, 0, 0}},
    {S_LS, "u", {C_LT, true, true}, {0, 0, 0}},
    {S_HI, "u", {C_LT, true, false}, {0, 0, 0}},
    {S_HS, "u", {C_LT, false, true}, {0, 0, 0}},
    {S_EQU, "f", {0, 0, 0}, {C_LG, false, true}},
    {S_NEU, "f", {0, 0, 0}, {C_EQ, false, true}},
    {S_LTU, "f", {0, 0, 0}, {C_LE, true, true}}, /* !(b <= a) */
    {S_LEU, "f", {0, 0, 0}, {C_LT, true, true}},
    {S_GTU, "f", {0, 0, 0}, {C_LE, false, true}},
    {S_GEU, "f", {0, 0, 0}, {C_LT, false, true}},
    {S_NUM, "f", {0, 0, 0}, {C_NUM, false, false}},
    {S_ISNAN, "f", {0, 0, 0}, {C_NUM, false, true}},
};

static int float_index(enum ptx_type t, bool ftz)
{
    switch (t) {
    case T_F32: return ftz ? F_F32_FTZ : F_F32;
    case T_F64: return ftz ? -1 : F_F64;
    case T_F16: return ftz ? F_F16_FTZ : F_F16;
    case T_F16X2: return ftz ? F_F16X2_FTZ : F_F16X2;
    case T_BF16: return ftz ? -1 : F_BF16;
    case T_BF16X2: return ftz ? -1 : F_BF16X2;
    default: return -1;
    }
}

static bool is_pair(enum ptx_type t) { return t == T_F16X2 || t == T_BF16X2; }

/* Finds the comparison, sets mod and the function of the given form; *swap: exchange the
 * sources. */
static bool choose(form *f, enum ptx_type t, int form_index, bool *swap)
{
    const struct comparison *c = NULL;
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0] && !c; i++)
        if (form_take(f, (enum ptx_suffix)comparisons[i].suffix)) c = &comparisons[i];
    if (!c) return form_refuse(f, "needs a comparison");
    bool ftz = form_take(f, S_FTZ);
    int i = int_type_of(t, true), k = float_index(t, ftz);
    char group = i < 0 ? 'f' : ptx_types[t].kind == 'B' ? 'b' : int_signed(i) ? 's' : 'u';
    if ((i < 0 && k < 0) || (i >= 0 && ftz) || !strchr(c->types, group))
        return form_refuse(f, "does not exist for this type");
    written how = i >= 0 ? c->i : c->f;
    *swap = how.swap;
    if (how.invert) f->mod |= CMP_INVERT;
    f->fn = i >= 0 ? int_fns[how.kind == C_LT][i][form_index] : float_fns[k][how.kind][form_index];
    f->cls = SIM_CLASS_COMPARE;
    return true;
}

/* The .and, .or or .xor with a predicate, if written. */
static void choose_combine(form *f, const ptx_operand *c)
{
    static const uint16_t bools[] = {S_AND, S_OR, S_XOR, S_NONE};
    enum ptx_suffix s = form_take_any(f, bools);
    f->mod |= s == S_AND ? CMP_AND : s == S_OR ? CMP_OR : s == S_XOR ? CMP_XOR : 0;
    if (s && c && c->negated) f->mod |= CMP_C_INVERTED;
}

static bool select_setp(form *f)
{
    const ptx_operand *op = f->in->operand;
    enum ptx_type t = form_type(f);
    bool swap = false, pair = is_pair(t);
    if (!form_operands(f, 3, 4)) return false;
    bool has_c = f->in->operand_count == 4, two = has_c || op[0].pair;
    if (pair && !op[0].pair) return form_refuse(f, "needs two results, p|q");
    if (!choose(f, t, two ? SETP_TWO : SETP_PLAIN, &swap)) return false;
    choose_combine(f, has_c ? &op[3] : NULL);
    if (has_c != ((f->mod & CMP_COMBINE) != 0))
        return form_refuse(f, "takes a third source with .and, .or or .xor only");
    form_def(f, &op[0], T_PRED);
    form_use(f, &op[swap ? 2 : 1], t);
    form_use(f, &op[swap ? 1 : 2], t);
    if (two) form_def(f, ptx_second(&op[0]), T_PRED);
    if (has_c) form_use(f, &op[3], T_PRED);
    return true;
}

/* What set stores for true; 0 if the result's type does not fit the type compared. */
static uint32_t set_true(enum ptx_type d, enum ptx_type s)
{
    bool half = s == T_F16 || s == T_BF16;
    switch (d) {
    case T_U32:
    case T_S32: return UINT32_MAX;
    case T_U16:
    case T_S16: return half ? 0xffff : 0;
    case T_F32: return half || is_pair(s) ? 0 : 0x3f800000u;
    case T_F16: return s == T_BF16 || is_pair(s) ? 0 : 0x3c00;
    case T_BF16: return is_pair(s) ? 0 : 0x3f80;
    case T_F16X2: return s == T_F16X2 ? 0x3c003c00u : 0;
    case T_BF16X2: return s == T_BF16X2 ? 0x3f803f80u : 0;
    default: return 0;
    }
}

static bool select_set(form *f)
{
    const ptx_operand *op = f->in->operand;
    enum ptx_type d = form_type(f), s = form_type(f);
    bool swap = false;
    if (!form_operands(f, 3, 4)) return false;
    bool has_c = f->in->operand_count == 4;
    if (!choose(f, s, SET_VALUE, &swap)) return false;
    f->mod2 = set_true(d, s);
    if (!f->mod2) return form_refuse(f, "does not exist with these types");
    choose_combine(f, has_c ? &op[3] : NULL);
    if (has_c != ((f->mod & CMP_COMBINE) != 0))
        return form_refuse(f, "takes a third source with .and, .or or .xor only");
    form_def(f, &op[0], d);
    form_use(f, &op[swap ? 2 : 1], s);
    form_use(f, &op[swap ? 1 : 2], s);
    if (has_c) form_use(f, &op[3], T_PRED);
    return true;
}

static bool select_compare(form *f)
{
    if (!operands_plain(f, 1u << 3)) return false;
    return f->in->op == OP_SETP ? select_setp(f) : select_set(f);
}

op_fn *SIM_NAME(setp_with_branch)(op_fn *setp)
{
    op_fn *const(*const of[2])[CMP_FORMS] = {int_fns[0], float_fns[0]};
    const int count[2] = {2 * INT_TYPES, F_TYPES * C_KINDS};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < count[k]; i++)
            if (of[k][i][SETP_PLAIN] == setp) return of[k][i][SETP_BRANCH];
    return NULL;
}

unsigned SIM_NAME(comparison)(op_fn *setp, uint32_t mod)
{
    static const struct {
        enum int_type type;
        unsigned is;
    } types[] = {{I_U32, 0}, {I_U64, TEST_WIDE}, {I_S32, TEST_SIGNED}, {I_S64, TEST_SIGNED | TEST_WIDE}};
    for (int less = 0; less < 2; less++)
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
            if (int_fns[less][types[i].type][SETP_PLAIN] == setp)
                return types[i].is | (less ? TEST_LESS : TEST_EQUAL) | (mod & CMP_INVERT ? TEST_INVERSE : 0);
    return 0;
}

bool SIM_NAME(select_compare)(form *f) { return select_compare(f) && operands_fit(f); }
