/* half.c: add, sub, mul, fma, abs, neg, min and max of f16 and bf16, alone and in pairs.
 *
 * One lane of each operation is written for a 16-bit value in a 32-bit word; the pair forms call it
 * for both halves. Arithmetic uses a wider type in which it is exact, or so accurate that rounding
 * twice makes no difference:
 *   add, sub        f32: 24 digits are 2 * 11 + 2, so rounding the sum again is harmless
 *   mul             f64: exact
 *   fma             f64, the sum rounded to odd
 * NaN results are 0x7fff.
 */
#include "half.h"
#include "exec.h"

/* Of fma alone: the signs that contraction gave it. */
enum { FUSED_SHIFT = 5, MOD_NEGATIVE = FUSED_NEGATIVE << FUSED_SHIFT, MOD_MINUS = FUSED_MINUS << FUSED_SHIFT };

/* x is exact, or rounded to odd. As for f32, .ftz flushes values below 2^-14 when rounded with no
 * lower limit. */
static inline uint32_t f16_write(float x, uint32_t mod)
{
    uint32_t h = f32_to_f16(x, ROUND_RN);
    return (mod & MOD_FTZ) && (f32_bits(x) & 0x7fffffffu) < f32_bits(0x1.ffep-15f) ? h & 0x8000u : h;
}
static inline uint32_t bf16_write(float x, uint32_t mod) { return (void)mod, f32_to_bf16(x, ROUND_RN); }

/* .ftz exists for f16 alone. */
static inline uint32_t half_flush(uint32_t h, uint32_t mod)
{
    return mod & MOD_FTZ && !(h & 0x7c00u) ? h & 0x8000u : h;
}
/* .sat: to [0, 1]; .relu: negative becomes 0. NaN is 0 after .sat and stays after .relu. */
static inline uint32_t half_limit(uint32_t h, uint32_t mod, uint32_t one, uint32_t inf)
{
    bool nan = (h & 0x7fffu) > inf, negative = h >> 15;
    if (mod & MOD_SAT) h = nan || negative ? 0 : h > one ? one : h;
    if (mod & MOD_RELU) h = !nan && negative ? 0 : h;
    return h;
}
static inline uint32_t half_sign(uint32_t h, uint32_t mod, uint32_t inf)
{
    return (h & 0x7fffu) > inf ? 0x7fffu : half_flush(h, mod);
}
static inline uint32_t half_order(uint32_t h, uint32_t g, uint32_t mod, uint32_t inf, bool smaller)
{
    uint32_t a = half_flush(h, mod), b = half_flush(g, mod), sign = mod & MOD_XORSIGN ? (a ^ b) & 0x8000u : 0;
    uint32_t keep = mod & MOD_XORSIGN ? 0x7fffu : 0xffffu;
    a &= keep, b &= keep;
    uint32_t am = a & 0x7fffu, bm = b & 0x7fffu;
    /* as integers in the order of the numbers, -0 before +0 */
    uint32_t ka = a > 0x7fffu ? 0x7fffu - am : a + 0x8000u, kb = b > 0x7fffu ? 0x7fffu - bm : b + 0x8000u;
    uint32_t low = ka < kb ? a : b, high = ka < kb ? b : a, r = smaller ? low : high;
    r = bm > inf ? a : r;
    r = am > inf ? b : r;
    uint32_t least = am < bm ? am : bm, most = am < bm ? bm : am; /* a NaN is above infinity */
    uint32_t judged = mod & MOD_NAN ? most : least;
    return judged > inf ? 0x7fffu : r | sign;
}

/* The lane functions of one format, then their operations: for single values (in the lower half of
 * the place) and pairs. */
#define HALF_LANES(T, INF, ONE)                                                                                 \
    static inline float T##_read(uint32_t h, uint32_t mod) { return T##_to_f32(half_flush(h & 0xffffu, mod)); } \
    static inline uint32_t T##_add(uint32_t a, uint32_t b, uint32_t mod)                                        \
    {                                                                                                           \
        return half_limit(T##_write(T##_read(a, mod) + T##_read(b, mod), mod), mod, ONE, INF);                  \
    }                                                                                                           \
    static inline uint32_t T##_sub(uint32_t a, uint32_t b, uint32_t mod)                                        \
    {                                                                                                           \
        return half_limit(T##_write(T##_read(a, mod) - T##_read(b, mod), mod), mod, ONE, INF);                  \
    }                                                                                                           \
    static inline uint32_t T##_mul(uint32_t a, uint32_t b, uint32_t mod)                                        \
    {                                                                                                           \
        double p = (double)T##_read(a, mod) * (double)T##_read(b, mod);                                         \
        return half_limit(T##_write(f64_to_f32_odd(p), mod), mod, ONE, INF);                                    \
    }                                                                                                           \
    static inline uint32_t T##_fma(uint32_t a, uint32_t b, uint32_t c, uint32_t mod)                            \
    {                                                                                                           \
        double p = (double)T##_read(a, mod) * (double)T##_read(b, mod), s = (double)T##_read(c, mod);           \
        p = mod & MOD_NEGATIVE ? -p : p;                                                                        \
        s = mod & MOD_MINUS ? -s : s;                                                                           \
        return half_limit(T##_write(f64_to_f32_odd(sum_to_odd(p, s)), mod), mod, ONE, INF);                     \
    }                                                                                                           \
    static inline uint32_t T##_min(uint32_t a, uint32_t b, uint32_t mod)                                        \
    {                                                                                                           \
        return half_order(a & 0xffffu, b & 0xffffu, mod, INF, true);                                            \
    }                                                                                                           \
    static inline uint32_t T##_max(uint32_t a, uint32_t b, uint32_t mod)                                        \
    {                                                                                                           \
        return half_order(a & 0xffffu, b & 0xffffu, mod, INF, false);                                           \
    }                                                                                                           \
    static inline uint32_t T##_abs(uint32_t a, uint32_t mod) { return half_sign(a & 0x7fffu, mod, INF); }       \
    static inline uint32_t T##_neg(uint32_t a, uint32_t mod) { return half_sign((a & 0xffffu) ^ 0x8000u, mod, INF); }
HALF_LANES(f16, 0x7c00u, 0x3c00u)
HALF_LANES(bf16, 0x7f80u, 0x3f80u)

/* Plain forms of the arithmetic, in three passes over arrays that each vectorise: read, compute,
 * write. `n` is 32 or, for pairs, 64: the upper halves come after the lower ones. */
#define HALF_PASSES_N(T, n)                                                             \
    NEVER_INLINE void T##_unpack_##n(const uint32_t *from, float *to)                   \
    {                                                                                   \
        for (int l = 0; l < 32; l++) to[l] = T##_to_f32(from[l] & 0xffffu);             \
        for (int l = 32; l < n; l++) to[l] = T##_to_f32(from[l - 32] >> 16);            \
    }                                                                                   \
    NEVER_INLINE void T##_pack_##n(const float *from, uint32_t *to)                     \
    {                                                                                   \
        for (int l = 0; l < 32; l++) to[l] = f32_to_##T(from[l], ROUND_RN);             \
        for (int l = 32; l < n; l++) to[l - 32] |= f32_to_##T(from[l], ROUND_RN) << 16; \
    }
#define HALF_PASSES(T)   \
    HALF_PASSES_N(T, 32) \
    HALF_PASSES_N(T, 64)
HALF_PASSES(f16)
HALF_PASSES(bf16)

static inline void plain_add(const float *a, const float *b, const float *c, float *r, const int n)
{
    (void)c;
    for (int l = 0; l < n; l++) r[l] = a[l] + b[l];
}
static inline void plain_sub(const float *a, const float *b, const float *c, float *r, const int n)
{
    (void)c;
    for (int l = 0; l < n; l++) r[l] = a[l] - b[l];
}
static inline void plain_mul(const float *a, const float *b, const float *c, float *r, const int n)
{
    double p[64];
    (void)c;
    for (int l = 0; l < n; l++) p[l] = (double)a[l] * (double)b[l];
    for (int l = 0; l < n; l++) r[l] = f64_to_f32_odd(p[l]);
}
static inline void plain_fma(const float *a, const float *b, const float *c, float *r, const int n)
{
    double s[64];
    for (int l = 0; l < n; l++) s[l] = sum_to_odd((double)a[l] * (double)b[l], (double)c[l]);
    for (int l = 0; l < n; l++) r[l] = f64_to_f32_odd(s[l]);
}

#define HALF_SOURCES2 \
    const uint32_t mod = in->mod, *pa = SRC(uint32_t, in->o[1]), *pb = SRC(uint32_t, in->o[2]), *pc = pb
#define HALF_SOURCES3                                                                           \
    const uint32_t mod = in->mod, *pa = SRC(uint32_t, in->o[1]), *pb = SRC(uint32_t, in->o[2]), \
                   *pc = SRC(uint32_t, in->o[3])
#define HALF_ARITH_N(name, T, op, sources, n, e)      \
    OP_FN(name)                                       \
    {                                                 \
        sources;                                      \
        if (SIM_LIKELY(!mod)) {                       \
            float a[n], b[n], c[n], r[n];             \
            uint32_t packed[32];                      \
            T##_unpack_##n(pa, a);                    \
            T##_unpack_##n(pb, b);                    \
            if (pc != pb) T##_unpack_##n(pc, c);      \
            plain_##op(a, b, pc != pb ? c : b, r, n); \
            T##_pack_##n(r, packed);                  \
            LANE_STORE(uint32_t, packed[l]);          \
        }                                             \
        LANE_STORE_LONG(uint32_t, e);                 \
    }
#define HALF_ARITH2(T, op)                                                            \
    HALF_ARITH_N(op##_##T, T, op, HALF_SOURCES2, 32, ((void)pc, T##_##op(A, B, mod))) \
    HALF_ARITH_N(op##_##T##x2, T, op, HALF_SOURCES2, 64, T##_##op(A, B, mod) | T##_##op(A >> 16, B >> 16, mod) << 16)
#define HALF_OP1(T, op)                                     \
    MOD_OP1(op##_##T, uint32_t, uint32_t, T##_##op(A, mod)) \
    MOD_OP1(op##_##T##x2, uint32_t, uint32_t, T##_##op(A, mod) | T##_##op(A >> 16, mod) << 16)
#define HALF_OP2(T, op)                                        \
    MOD_OP2(op##_##T, uint32_t, uint32_t, T##_##op(A, B, mod)) \
    MOD_OP2(op##_##T##x2, uint32_t, uint32_t, T##_##op(A, B, mod) | T##_##op(A >> 16, B >> 16, mod) << 16)
#define HALF_OPS(T)                                                         \
    HALF_ARITH2(T, add)                                                     \
    HALF_ARITH2(T, sub)                                                     \
    HALF_ARITH2(T, mul)                                                     \
    HALF_OP2(T, min)                                                        \
    HALF_OP2(T, max)                                                        \
    HALF_OP1(T, abs)                                                        \
    HALF_OP1(T, neg)                                                        \
    HALF_ARITH_N(fma_##T, T, fma, HALF_SOURCES3, 32, T##_fma(A, B, C, mod)) \
    HALF_ARITH_N(fma_##T##x2, T, fma, HALF_SOURCES3, 64,                    \
                 T##_fma(A, B, C, mod) | T##_fma(A >> 16, B >> 16, C >> 16, mod) << 16)
HALF_OPS(f16)
HALF_OPS(bf16)

/* fma.oob: a factor that a tensor copy put in place of an element outside of the tensor, or its negative, makes the
 * result 0. */
enum { OUTSIDE = 0x7ff7 };
#define HALF_OOB(T)                                                                            \
    static inline uint32_t T##_fma_oob(uint32_t a, uint32_t b, uint32_t c, uint32_t mod)       \
    {                                                                                          \
        return (a & 0x7fff) == OUTSIDE || (b & 0x7fff) == OUTSIDE ? 0 : T##_fma(a, b, c, mod); \
    }                                                                                          \
    MOD_OP3(fma_oob_##T, uint32_t, uint32_t, T##_fma_oob(A, B, C, mod))                        \
    MOD_OP3(fma_oob_##T##x2, uint32_t, uint32_t,                                               \
            T##_fma_oob(A, B, C, mod) | T##_fma_oob(A >> 16, B >> 16, C >> 16, mod) << 16)
HALF_OOB(f16)
HALF_OOB(bf16)
static op_fn *const fma_oob[4] = {fma_oob_f16, fma_oob_f16x2, fma_oob_bf16, fma_oob_bf16x2};

/* `words`: which modifiers exist, by format: f16 then bf16. */
enum { RN = 1, FTZ = 2, SAT = 4, RELU = 8, NAN_XOR = 16 };
static const struct row {
    uint8_t op, sources, f16_words, bf16_words;
    op_fn *fn[4]; /* f16, f16x2, bf16, bf16x2 */
} rows[] = {
    {OP_ADD, 2, RN | FTZ | SAT, RN, {add_f16, add_f16x2, add_bf16, add_bf16x2}},
    {OP_SUB, 2, RN | FTZ | SAT, RN, {sub_f16, sub_f16x2, sub_bf16, sub_bf16x2}},
    {OP_MUL, 2, RN | FTZ | SAT, RN, {mul_f16, mul_f16x2, mul_bf16, mul_bf16x2}},
    {OP_FMA, 3, RN | FTZ | SAT | RELU, RN | RELU, {fma_f16, fma_f16x2, fma_bf16, fma_bf16x2}},
    {OP_MIN, 2, FTZ | NAN_XOR, NAN_XOR, {min_f16, min_f16x2, min_bf16, min_bf16x2}},
    {OP_MAX, 2, FTZ | NAN_XOR, NAN_XOR, {max_f16, max_f16x2, max_bf16, max_bf16x2}},
    {OP_ABS, 1, FTZ, 0, {abs_f16, abs_f16x2, abs_bf16, abs_bf16x2}},
    {OP_NEG, 1, FTZ, 0, {neg_f16, neg_f16x2, neg_bf16, neg_bf16x2}},
};

bool SIM_NAME(select_arith_half)(form *f)
{
    const struct row *r = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == f->in->op) r = &rows[i];
    if (!r) return form_refuse(f, "does not exist for half-precision types");
    enum ptx_type t = form_type(f);
    bool is_f16 = t == T_F16 || t == T_F16X2;
    int column = t == T_F16 ? 0 : t == T_F16X2 ? 1 : t == T_BF16 ? 2 : 3;
    uint32_t words = is_f16 ? r->f16_words : r->bf16_words;
    bool rounded = (words & RN) && form_take(f, S_RN);
    if (r->op == OP_FMA && !rounded) return form_refuse(f, "needs .rn");
    if ((words & FTZ) && form_take(f, S_FTZ)) f->mod |= MOD_FTZ;
    if ((words & SAT) && form_take(f, S_SAT)) f->mod |= MOD_SAT;
    const bool oob = r->op == OP_FMA && form_take(f, S_OOB);
    if ((words & RELU) && !(f->mod & MOD_SAT) && form_take(f, S_RELU)) f->mod |= MOD_RELU;
    if ((words & NAN_XOR) && form_take(f, S_NAN)) f->mod |= MOD_NAN;
    if ((words & NAN_XOR) && form_take(f, S_XORSIGN)) {
        if (!form_take(f, S_ABS)) return form_refuse(f, "needs .abs with .xorsign");
        f->mod |= MOD_XORSIGN;
    }
    f->fn = r->fn[column];
    if (oob && (f->mod & (MOD_SAT | MOD_FTZ))) return form_refuse(f, "has no .sat or .ftz with .oob");
    if (oob) f->fn = fma_oob[column];
    f->cls = SIM_CLASS_FP16;
    if (r->sources == 3 || r->op == OP_ADD || r->op == OP_SUB || r->op == OP_MUL)
        f->hflops = (uint8_t)((r->sources == 3 ? 2 : 1) * (column & 1 ? 2 : 1));
    f->fusible = !rounded && (r->op == OP_ADD || r->op == OP_SUB || (r->op == OP_MUL && !(f->mod & MOD_SAT)) ||
                              (r->op == OP_NEG && !(f->mod & MOD_FTZ) && t != T_BF16X2));
    form_shape(f, t, t, r->sources > 1 ? t : T_NONE, r->sources > 2 ? t : T_NONE);
    return true;
}

op_fn *SIM_NAME(fused_half)(enum ptx_type t, uint32_t *mod, uint32_t kind)
{
    *mod |= kind << FUSED_SHIFT;
    return t == T_F16 ? fma_f16 : t == T_F16X2 ? fma_f16x2 : t == T_BF16 ? fma_bf16 : fma_bf16x2;
}
