/* arith_float.c: add, sub, mul, mad, fma, div, abs, neg, min and max of f32 and f64.
 *
 * First the arithmetic on one lane, f32 then f64; then the operations, which are loops over it;
 * then the selector with its tables. Rounding to nearest is the host's own and vectorises. The
 * other directions of f32 go through f64, which holds an f32 product exactly. A sum that f64 cannot
 * hold is rounded to odd (the lowest bit is set when anything was lost), so that the second
 * rounding sees on which side of every f32 it lies. The other directions of f64 are computed in
 * integers (exact64.h). Nothing depends on the host's rounding mode or flush-to-zero flags.
 *
 * NaN: f32 results are 0x7fffffff. f64 results are an operand that is a NaN, made quiet, or
 * 0xfff8000000000000 when none is.
 */
#include "exact64.h"
#include "exec.h"

#if defined(__FP_FAST_FMAF) || defined(__FMA__) || defined(__aarch64__) || defined(__ARM_FEATURE_FMA)
#define HOST_HAS_FMA 1
#else
#define HOST_HAS_FMA 0
#endif

/* ---- one lane of f32 ---- */
static inline float fma_nearest(float a, float b, float c)
{
#if HOST_HAS_FMA
    return fmaf(a, b, c);
#else
    return (float)sum_to_odd((double)a * (double)b, (double)c);
#endif
}

/* The results of the directed forms, exact or rounded to odd. A sum that is exactly zero is -0 when
 * rounding down, unless both parts were +0. The quotient of two f32 is either an f32 or at least
 * 2^-49 of itself away from the next one: f64 tells them apart. */
static inline double sum_directed(double x, double y, enum rounding mode)
{
    bool opposite_zero = mode == ROUND_RM && x + y == 0 && (f64_bits(x) >> 63 || f64_bits(y) >> 63);
    return opposite_zero ? -0.0 : sum_to_odd(x, y);
}

/* div.approx: PTX allows 2 ulp; this gives the nearest f32. As in PTX, |b| above 2^126 gives 0, or
 * NaN if a is infinite too. */
static inline double quotient(double a, double b)
{
    double size = fabs(b), huge = bits_f64(UINT64_C(0x7ff0000000000000));
    double beyond = fabs(a) == huge ? huge - huge : (f64_bits(a) ^ f64_bits(b)) >> 63 ? -0.0 : 0.0;
    return size > 0x1p126 && size < huge && a == a ? beyond : a / b;
}

/* min and max: -0 is less than +0; a NaN gives way to a number. */
static inline uint32_t min_f32(float a, float b)
{
    uint32_t u = f32_bits(a), v = f32_bits(b);
    uint32_t r = a < b || b != b ? u : a == b ? u | v : v;
    return a != a && b != b ? F32_NAN : r;
}
static inline uint32_t max_f32(float a, float b)
{
    uint32_t u = f32_bits(a), v = f32_bits(b);
    uint32_t r = a > b || b != b ? u : a == b ? u & v : v;
    return a != a && b != b ? F32_NAN : r;
}

static inline uint32_t order_f32(float a, float b, uint32_t mod, bool smaller)
{
    float x = f32_take(a, mod), y = f32_take(b, mod);
    uint32_t sign = (f32_bits(x) ^ f32_bits(y)) & 0x80000000u;
    if (mod & MOD_XORSIGN) x = fabsf(x), y = fabsf(y);
    uint32_t r = smaller ? min_f32(x, y) : max_f32(x, y);
    if ((mod & MOD_NAN) && (x != x || y != y)) return F32_NAN;
    return (mod & MOD_XORSIGN) && r != F32_NAN ? r | sign : r;
}

/* ---- one lane of f64 ---- */
#define F64_SIGN (UINT64_C(1) << 63)
static inline uint64_t min_f64(double a, double b)
{
    uint64_t u = f64_bits(a), v = f64_bits(b);
    uint64_t r = a < b || b != b ? u : a == b ? u | v : v;
    return a != a && b != b ? v | F64_QUIET : r;
}
static inline uint64_t max_f64(double a, double b)
{
    uint64_t u = f64_bits(a), v = f64_bits(b);
    uint64_t r = a > b || b != b ? u : a == b ? u & v : v;
    return a != a && b != b ? v | F64_QUIET : r;
}

/* ---- operations ---- */
#define SOURCES2 const float *pa = SRC(float, in->o[1]), *pb = SRC(float, in->o[2]), *pc = pb
#define SOURCES3 const float *pa = SRC(float, in->o[1]), *pb = SRC(float, in->o[2]), *pc = SRC(float, in->o[3])

/* To nearest: plain and .sat are loops without branches. With .ftz, a result of exactly 2^-126 is
 * examined again (see f32_give), from its `exact` value; that is rare enough for a second pass. */
#define F32_NEAREST(name, sources, lane, exact)                                                                        \
    static inline float name##_lane(float x, float y, float z) { return (void)z, lane; }                               \
    static inline uint32_t name##_edge(float x, float y, float z)                                                      \
    {                                                                                                                  \
        return (void)z, f32_give(exact, ROUND_RN, MOD_FTZ);                                                            \
    }                                                                                                                  \
    OP_FN(name)                                                                                                        \
    {                                                                                                                  \
        sources;                                                                                                       \
        LANE_STORE(uint32_t, f32_out(name##_lane(A, B, C)));                                                           \
    }                                                                                                                  \
    OP_FN(name##_sat)                                                                                                  \
    {                                                                                                                  \
        sources;                                                                                                       \
        LANE_STORE(uint32_t, f32_bits(f32_clamp(name##_lane(A, B, C))));                                               \
    }                                                                                                                  \
    OP_FN(name##_ftz)                                                                                                  \
    {                                                                                                                  \
        sources;                                                                                                       \
        uint32_t r[32], edge = 0;                                                                                      \
        LANES                                                                                                          \
        {                                                                                                              \
            r[l] = f32_flush_bits(f32_out(name##_lane(f32_flush(A), f32_flush(B), f32_flush(C))));                     \
            edge |= (r[l] & 0x7fffffffu) == 0x00800000u;                                                               \
        }                                                                                                              \
        if (SIM_UNLIKELY(edge))                                                                                        \
            for (int l = 0; l < 32; l++)                                                                               \
                if ((r[l] & 0x7fffffffu) == 0x00800000u) r[l] = name##_edge(f32_flush(A), f32_flush(B), f32_flush(C)); \
        const bool sat = in->mod & MOD_SAT;                                                                            \
        LANE_STORE(uint32_t, sat ? f32_bits(f32_clamp(bits_f32(r[l]))) : r[l]);                                        \
    }
F32_NEAREST(add_rn, SOURCES2, x + y, (double)x + (double)y)
F32_NEAREST(sub_rn, SOURCES2, x - y, (double)x - (double)y)
F32_NEAREST(mul_rn, SOURCES2, x *y, (double)x *(double)y)
F32_NEAREST(div_rn, SOURCES2, x / y, (double)x / (double)y)
F32_NEAREST(fma_rn, SOURCES3, fma_nearest(x, y, z), sum_to_odd((double)x *(double)y, (double)z))

/* What a product and a sum become when they are fused: x * y - z, z - x * y, and -(x * y) - z. */
F32_NEAREST(fms_rn, SOURCES3, fma_nearest(x, y, -z), sum_to_odd((double)x *(double)y, -(double)z))
F32_NEAREST(fnma_rn, SOURCES3, fma_nearest(-x, y, z), sum_to_odd(-(double)x *(double)y, (double)z))
F32_NEAREST(fnms_rn, SOURCES3, fma_nearest(-x, y, -z), sum_to_odd(-(double)x *(double)y, -(double)z))

/* The same on cards that cut the product to a float before they add (compute 1.x). */
static inline float cut_product(float x, float y)
{
#if defined(__FMA__)
    /* What rounding left out has a sign, even where it is too small for a float: then it is a zero
     * of that sign. */
    float size = bits_f32(f32_bits(x) & 0x7fffffffu), by = bits_f32(f32_bits(y) & 0x7fffffffu);
    float near = size * by, out = __builtin_fmaf(size, by, -near);
    uint32_t up = out == out ? f32_bits(out) >> 31 : 0; /* NaN: an operand is infinite or NaN */
    return bits_f32((f32_bits(near) - up) | ((f32_bits(x) ^ f32_bits(y)) & 0x80000000u));
#else
    double exact = (double)x * (double)y;
    float near = (float)exact;
    uint32_t u = f32_bits(near);
    return bits_f32(fabs((double)near) > fabs(exact) ? u - 1 : u);
#endif
}
F32_NEAREST(mad_cut, SOURCES3, cut_product(x, y) + z, (double)cut_product(x, y) + (double)z)
F32_NEAREST(mas_cut, SOURCES3, cut_product(x, y) - z, (double)cut_product(x, y) - (double)z)
F32_NEAREST(nmad_cut, SOURCES3, z - cut_product(x, y), (double)z - (double)cut_product(x, y))
F32_NEAREST(nmas_cut, SOURCES3, -cut_product(x, y) - z, -(double)cut_product(x, y) - (double)z)

/* The other forms read insn.mod. x, y and z are the sources in f64. */
#define F32_MOD(name, sources, exact, MODE)                                                                \
    static inline double name##_lane(double x, double y, double z) { return (void)z, exact; }              \
    OP_FN(name)                                                                                            \
    {                                                                                                      \
        const uint32_t mod = in->mod;                                                                      \
        sources;                                                                                           \
        LANE_STORE_LONG(uint32_t, f32_give(name##_lane((double)f32_take(A, mod), (double)f32_take(B, mod), \
                                                       (double)f32_take(C, mod)),                          \
                                           MODE, mod));                                                    \
    }
#define F32_DIRECTED(to, MODE)                                   \
    F32_MOD(add_##to, SOURCES2, sum_directed(x, y, MODE), MODE)  \
    F32_MOD(sub_##to, SOURCES2, sum_directed(x, -y, MODE), MODE) \
    F32_MOD(mul_##to, SOURCES2, x *y, MODE)                      \
    F32_MOD(div_##to, SOURCES2, x / y, MODE)                     \
    F32_MOD(fma_##to, SOURCES3, sum_directed(x *y, z, MODE), MODE)
F32_DIRECTED(rz, ROUND_RZ)
F32_DIRECTED(rm, ROUND_RM)
F32_DIRECTED(rp, ROUND_RP)
F32_MOD(div_approx, SOURCES2, quotient(x, y), ROUND_RN)
F32_MOD(div_full, SOURCES2, x / y, ROUND_RN)

OP2(min_f32_plain, uint32_t, float, float, min_f32(A, B))
OP2(max_f32_plain, uint32_t, float, float, max_f32(A, B))
MOD_OP2(min_f32_mod, uint32_t, float, order_f32(A, B, mod, true))
MOD_OP2(max_f32_mod, uint32_t, float, order_f32(A, B, mod, false))
MOD_OP1(abs_f32, uint32_t, uint32_t, f32_out(f32_take(bits_f32(A & 0x7fffffffu), mod)))
MOD_OP1(neg_f32, uint32_t, uint32_t, f32_out(f32_take(bits_f32(A ^ 0x80000000u), mod)))

OP2(add_f64, uint64_t, double, double, f64_out(A + B, A, B, B))
OP2(sub_f64, uint64_t, double, double, f64_out(A - B, A, B, B))
OP2(mul_f64, uint64_t, double, double, f64_out(A *B, A, B, B))
OP2(div_f64, uint64_t, double, double, f64_out(A / B, B, A, A))
OP3(fma_f64, uint64_t, double, double, double, f64_out(fma(A, B, C), A, B, C))
/* The other directions. Lanes with numbers of ordinary size first, then the rest one by one. */
#define F64_DIRECTED(name, third, near_by, exact, ...)                                      \
    OP_FN(name)                                                                             \
    {                                                                                       \
        const double *pa = SRC(double, in->o[1]), *pb = SRC(double, in->o[2]), *pc = third; \
        const enum rounding mode = (enum rounding)in->mod;                                  \
        const steps64 steps = steps_of(mode);                                               \
        double r[32];                                                                       \
        uint64_t fine[32], all = HOST_HAS_FMA ? UINT64_MAX : 0;                             \
        LANES                                                                               \
        {                                                                                   \
            const double a = A, b = B, c = C;                                               \
            const near64 n = HOST_HAS_FMA ? near_by : (near64){0, 0, 0, 0};                 \
            (void)a, (void)b, (void)c;                                                      \
            r[l] = near_round(n, &steps);                                                   \
            fine[l] = n.fine;                                                               \
        }                                                                                   \
        for (int l = 0; l < 32; l++) all &= fine[l];                                        \
        for (uint32_t m = all ? 0 : w->mask; m; m &= m - 1) {                               \
            const int l = first_lane(m);                                                    \
            const double a = A, b = B, c = C;                                               \
            (void)c;                                                                        \
            if (!fine[l]) r[l] = bits_f64(f64_out(exact, __VA_ARGS__));                     \
        }                                                                                   \
        LANE_STORE(double, r[l]);                                                           \
    }
F64_DIRECTED(add_f64_to, pb, near_add(a, b), f64_add_exact(a, b, mode), a, b, b)
F64_DIRECTED(sub_f64_to, pb, near_add(a, -b), f64_add_exact(a, -b, mode), a, b, b)
F64_DIRECTED(mul_f64_to, pb, near_mul(a, b), f64_mul_exact(a, b, mode), a, b, b)
F64_DIRECTED(div_f64_to, pb, near_div(a, b), f64_div_exact(a, b, mode), b, a, a)
F64_DIRECTED(fma_f64_to, SRC(double, in->o[3]), near_fma(a, b, c), f64_fma_exact(a, b, c, mode), a, b, c)
OP2(min_f64_op, uint64_t, double, double, min_f64(A, B))
OP2(max_f64_op, uint64_t, double, double, max_f64(A, B))
OP1(abs_f64, uint64_t, double, A != A ? f64_bits(A) | F64_QUIET : f64_bits(A) & ~F64_SIGN)
OP1(neg_f64, uint64_t, double, A != A ? f64_bits(A) | F64_QUIET : f64_bits(A) ^ F64_SIGN)

OP3(fms_f64, uint64_t, double, double, double, f64_out(fma(A, B, -C), A, B, C))
OP3(fnma_f64, uint64_t, double, double, double, f64_out(fma(-A, B, C), A, B, C))
OP3(fnms_f64, uint64_t, double, double, double, f64_out(fma(-A, B, -C), A, B, C))

/* ---- selecting ---- */
static const uint16_t roundings[] = {S_RN, S_RZ, S_RM, S_RP, S_NONE};

static enum rounding rounding_of(enum ptx_suffix s)
{
    return s == S_RZ ? ROUND_RZ : s == S_RM ? ROUND_RM : s == S_RP ? ROUND_RP : ROUND_RN;
}

/* f32_nearest is indexed by insn.mod, f32_directed by the rounding. */
static const struct row {
    uint8_t op, sources, flops;
    op_fn *f32_nearest[4], *f32_directed[4], *f64_nearest, *f64_directed;
} rows[] = {
    {OP_ADD, 2, 1, {add_rn, add_rn_ftz, add_rn_sat, add_rn_ftz}, {NULL, add_rz, add_rm, add_rp}, add_f64, add_f64_to},
    {OP_SUB, 2, 1, {sub_rn, sub_rn_ftz, sub_rn_sat, sub_rn_ftz}, {NULL, sub_rz, sub_rm, sub_rp}, sub_f64, sub_f64_to},
    {OP_MUL, 2, 1, {mul_rn, mul_rn_ftz, mul_rn_sat, mul_rn_ftz}, {NULL, mul_rz, mul_rm, mul_rp}, mul_f64, mul_f64_to},
    {OP_FMA, 3, 2, {fma_rn, fma_rn_ftz, fma_rn_sat, fma_rn_ftz}, {NULL, fma_rz, fma_rm, fma_rp}, fma_f64, fma_f64_to},
    {OP_MAD, 3, 2, {fma_rn, fma_rn_ftz, fma_rn_sat, fma_rn_ftz}, {NULL, fma_rz, fma_rm, fma_rp}, fma_f64, fma_f64_to},
    {OP_DIV, 2, 1, {div_rn, div_rn_ftz, div_rn_sat, div_rn_ftz}, {NULL, div_rz, div_rm, div_rp}, div_f64, div_f64_to},
};

static bool select_order(form *f, enum ptx_type t)
{
    bool smaller = f->in->op == OP_MIN;
    if (t == T_F64) {
        f->cls = SIM_CLASS_FP64;
        f->fn = smaller ? min_f64_op : max_f64_op;
    } else {
        f->mod = form_take(f, S_FTZ) ? MOD_FTZ : 0;
        f->mod |= form_take(f, S_NAN) ? MOD_NAN : 0;
        if (form_take(f, S_XORSIGN)) {
            if (!form_take(f, S_ABS)) return form_refuse(f, "needs .abs with .xorsign");
            f->mod |= MOD_XORSIGN;
        }
        f->cls = SIM_CLASS_FP32;
        f->fn = f->mod ? (smaller ? min_f32_mod : max_f32_mod) : smaller ? min_f32_plain : max_f32_plain;
    }
    form_shape(f, t, t, t, T_NONE);
    return true;
}

static bool select_sign(form *f, enum ptx_type t)
{
    bool absolute = f->in->op == OP_ABS;
    f->cls = t == T_F64 ? SIM_CLASS_FP64 : SIM_CLASS_FP32;
    if (t == T_F32 && form_take(f, S_FTZ)) f->mod = MOD_FTZ;
    f->fn = t == T_F64 ? (absolute ? abs_f64 : neg_f64) : absolute ? abs_f32 : neg_f32;
    f->fusible = !absolute;
    form_shape(f, t, t, T_NONE, T_NONE);
    return true;
}

static bool select_division(form *f)
{
    bool approx = form_take(f, S_APPROX);
    if (!approx && !form_take(f, S_FULL)) return form_refuse(f, "needs .approx, .full or a rounding mode");
    f->fn = approx ? div_approx : div_full;
    f->mod = form_take(f, S_FTZ) ? MOD_FTZ : 0;
    f->cls = SIM_CLASS_SPECIAL;
    f->flops = 1;
    form_shape(f, T_F32, T_F32, T_F32, T_NONE);
    return true;
}

bool SIM_NAME(select_arith_float)(form *f)
{
    enum ptx_op op = f->in->op;
    enum ptx_type t = form_type(f);
    if (t == T_F16 || t == T_F16X2 || t == T_BF16 || t == T_BF16X2) {
        f->types_taken--;
        return SIM_NAME(select_arith_half)(f);
    }
    if (t != T_F32 && t != T_F64) return form_refuse(f, "does not exist for this type");
    if (op == OP_MIN || op == OP_MAX) return select_order(f, t);
    if (op == OP_ABS || op == OP_NEG) return select_sign(f, t);
    const struct row *r = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == op) r = &rows[i];
    if (!r) return form_refuse(f, "does not exist for floating-point types");

    enum ptx_suffix said = form_take_any(f, roundings);
    enum rounding mode = rounding_of(said);
    bool is_double = t == T_F64;
    if (op == OP_DIV && !said) return is_double ? form_refuse(f, "needs a rounding mode") : select_division(f);
    if (op == OP_FMA && !said) return form_refuse(f, "needs a rounding mode");
    f->cls = op == OP_DIV ? SIM_CLASS_SPECIAL : is_double ? SIM_CLASS_FP64 : SIM_CLASS_FP32;
    if (is_double) {
        f->mod = mode;
        f->fn = mode == ROUND_RN ? r->f64_nearest : r->f64_directed;
        f->dflops = r->flops;
    } else {
        f->mod = form_take(f, S_FTZ) ? MOD_FTZ : 0;
        if (op != OP_DIV && form_take(f, S_SAT)) f->mod |= MOD_SAT;
        f->fn = mode == ROUND_RN ? r->f32_nearest[f->mod] : r->f32_directed[mode];
        f->flops = r->flops;
    }
    f->fusible = (op == OP_MUL && !said && !(f->mod & MOD_SAT)) || ((op == OP_ADD || op == OP_SUB) && !said);
    form_shape(f, t, t, t, r->sources == 3 ? t : T_NONE);
    return true;
}

op_fn *SIM_NAME(fused_op)(enum ptx_type t, uint32_t *mod, uint32_t kind)
{
    static op_fn *const f64[] = {fma_f64, fnma_f64, fms_f64, fnms_f64};
    static op_fn *const f32[][4] = {
        {fma_rn, fma_rn_ftz, fma_rn_sat, fma_rn_ftz},     {fnma_rn, fnma_rn_ftz, fnma_rn_sat, fnma_rn_ftz},
        {fms_rn, fms_rn_ftz, fms_rn_sat, fms_rn_ftz},     {fnms_rn, fnms_rn_ftz, fnms_rn_sat, fnms_rn_ftz},
        {mad_cut, mad_cut_ftz, mad_cut_sat, mad_cut_ftz}, {nmad_cut, nmad_cut_ftz, nmad_cut_sat, nmad_cut_ftz},
        {mas_cut, mas_cut_ftz, mas_cut_sat, mas_cut_ftz}, {nmas_cut, nmas_cut_ftz, nmas_cut_sat, nmas_cut_ftz}};
    if (t == T_F32) return f32[kind][*mod & 3];
    return t == T_F64 ? f64[kind & 3] : SIM_NAME(fused_half)(t, mod, kind & 3);
}
