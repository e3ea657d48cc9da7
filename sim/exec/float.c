/* float.c: rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh, copysign and testp.
 *
 * rcp and sqrt with a rounding mode are exact to the bit. The approximate forms give the f32
 * nearest to the true value (see approx.h), which is within the error that PTX allows; a card's own
 * last bits differ. PTX's special cases hold:
 *
 *   rcp, rsqrt   of a zero an infinity of its sign        lg2   of a zero -infinity, of less NaN
 *   sqrt, rsqrt  of less than zero NaN                    sin, cos of an infinity NaN
 *
 * sin and cos convert their argument to turns with one f32 multiplication that rounds toward zero
 * and flushes, as cards do. So large and tiny arguments lose the same precision as there: the error
 * grows as |x| * 2^-23.
 *
 * Against an H200: rcp, sqrt and rsqrt differ by 1 ulp at most, div and ex2 by 2, sin and cos by
 * 2^-21.5 in all, lg2 by 2^-22.5 or 1 ulp, tanh by 2^-16.
 */
#include "approx.h"
#include "exact64.h"
#include "exec.h"

static inline double nan_f64(void) { return bits_f64(UINT64_C(0x7ff8000000000000)); }
static inline double inf_f64(void) { return bits_f64(UINT64_C(0x7ff0000000000000)); }
static inline bool not_finite(float x) { return (f32_bits(x) & 0x7f800000u) == 0x7f800000u; }

static inline double sine(float x, int quarter)
{
    float turns = f64_to_f32((double)x * 0.15915493667125702, ROUND_RZ);
    double t = (double)(not_finite(x) ? 0.0f : f32_flush(turns));
    double part = fabs(t) < 0x1p24 ? t : 0.0; /* an f32 beyond is a whole number of turns */
    double r = approx_sin_turns(part, quarter);
    r = t == 0 && !quarter ? t : r;
    return not_finite(x) ? nan_f64() : r;
}
static inline double log_2(float x)
{
    double r = approx_lg2((double)(x > 0 ? x : 1.0f));
    r = f32_bits(x) == 0x7f800000u ? inf_f64() : r;
    return x > 0 ? r : x == 0 ? -inf_f64() : nan_f64();
}
static inline double exp_2(float x) { return x != x ? (double)x : approx_ex2((double)x); }
static inline double hyper(float x) { return x != x ? (double)x : approx_tanh((double)x); }

#define F32_APPROX(name, e)                                 \
    static inline double name##_lane(float x) { return e; } \
    MOD_OP1(name, uint32_t, float, f32_give(name##_lane(f32_take(A, mod)), ROUND_RN, mod))
F32_APPROX(rcp_approx, 1.0 / (double)x)
F32_APPROX(sqrt_approx, sqrt((double)x))
F32_APPROX(rsqrt_approx, 1.0 / sqrt((double)x))
F32_APPROX(sin_approx, sine(x, 0))
F32_APPROX(cos_approx, sine(x, 1))
F32_APPROX(lg2_approx, log_2(x))
F32_APPROX(ex2_approx, exp_2(x))
F32_APPROX(tanh_approx, hyper(x))

/* Roots and reciprocals of an f32 are an f32 or clearly between two, so f64 tells on which side
 * (see arith_float.c). */
#define F32_ROUNDED(to, MODE)                                                               \
    MOD_OP1(rcp_##to, uint32_t, float, f32_give(1.0 / (double)f32_take(A, mod), MODE, mod)) \
    MOD_OP1(sqrt_##to, uint32_t, float, f32_give(sqrt((double)f32_take(A, mod)), MODE, mod))
F32_ROUNDED(rn, ROUND_RN)
F32_ROUNDED(rz, ROUND_RZ)
F32_ROUNDED(rm, ROUND_RM)
F32_ROUNDED(rp, ROUND_RP)

static inline uint64_t f64_of_one(double r, double a)
{
    return r == r ? f64_bits(r) : a != a ? f64_bits(a) | F64_QUIET : F64_NAN;
}
MOD_OP1(rcp_f64, uint64_t, double, f64_of_one(f64_div_exact(1.0, A, (enum rounding)mod), A))
MOD_OP1(sqrt_f64, uint64_t, double, f64_of_one(f64_sqrt_exact(A, (enum rounding)mod), A))
OP1_LONG(rcp_f64_rn, uint64_t, double, f64_of_one(1.0 / A, A))
OP1_LONG(sqrt_f64_rn, uint64_t, double, f64_of_one(sqrt(A), A))

/* The .ftz f64 forms (approx) use only the upper 32 bits of the argument and fill only the upper 32
 * bits of the result. */
static inline double upper(double x)
{
    uint64_t u = f64_bits(x);
    return bits_f64(u & UINT64_C(0x7ff0000000000000) ? u & UINT64_C(0xffffffff00000000) : u & UINT64_C(1) << 63);
}
static inline uint64_t gross(double r) { return r != r ? UINT64_C(0x7fffffff00000000) : f64_bits(upper(r)); }
OP1_LONG(rcp_gross, uint64_t, double, gross(1.0 / upper(A)))
OP1_LONG(rsqrt_gross, uint64_t, double, gross(1.0 / sqrt(upper(A))))
/* One Newton step from a root that is off in the last bit: nearly always the nearest number, as on
 * a card. */
static inline double rsqrt_near(double x)
{
    double y = 1.0 / sqrt(x), h = x * y, low = fma(x, y, -h), off = fma(-h, y, 1.0) - low * y;
    double better = y + 0.5 * y * off;
    return better == better ? better : y;
}
OP1_LONG(rsqrt_f64, uint64_t, double, f64_of_one(rsqrt_near(A), A))

/* ---- halves ---- */
static inline uint32_t f16_of(double d) { return f32_to_f16(f64_to_f32_odd(d), ROUND_RN); }
static inline uint32_t bf16_of(double d, uint32_t mod)
{
    uint32_t h = f32_to_bf16(f64_to_f32_odd(d), ROUND_RN);
    return mod & MOD_FTZ && !(h & 0x7f80u) ? h & 0x8000u : h;
}
static inline uint32_t ex2_f16_lane(uint32_t h) { return f16_of(exp_2(f16_to_f32(h & 0xffff))); }
static inline uint32_t tanh_f16_lane(uint32_t h) { return f16_of(hyper(f16_to_f32(h & 0xffff))); }
static inline uint32_t ex2_bf16_lane(uint32_t h, uint32_t mod)
{
    return bf16_of(exp_2(f32_take(bf16_to_f32(h & 0xffff), mod)), mod);
}
static inline uint32_t tanh_bf16_lane(uint32_t h, uint32_t mod) { return bf16_of(hyper(bf16_to_f32(h & 0xffff)), mod); }
OP1_LONG(ex2_f16, uint32_t, uint32_t, ex2_f16_lane(A))
OP1_LONG(ex2_f16x2, uint32_t, uint32_t, ex2_f16_lane(A) | ex2_f16_lane(A >> 16) << 16)
OP1_LONG(tanh_f16, uint32_t, uint32_t, tanh_f16_lane(A))
OP1_LONG(tanh_f16x2, uint32_t, uint32_t, tanh_f16_lane(A) | tanh_f16_lane(A >> 16) << 16)
MOD_OP1(ex2_bf16, uint32_t, uint32_t, ex2_bf16_lane(A, mod))
MOD_OP1(ex2_bf16x2, uint32_t, uint32_t, ex2_bf16_lane(A, mod) | ex2_bf16_lane(A >> 16, mod) << 16)
MOD_OP1(tanh_bf16, uint32_t, uint32_t, tanh_bf16_lane(A, mod))
MOD_OP1(tanh_bf16x2, uint32_t, uint32_t, tanh_bf16_lane(A, mod) | tanh_bf16_lane(A >> 16, mod) << 16)

/* ---- signs and classes ---- */
OP2(copysign_f32, uint32_t, uint32_t, uint32_t, (A & 0x80000000u) | (B & 0x7fffffffu))
OP2(copysign_f64, uint64_t, uint64_t, uint64_t, (A & UINT64_C(1) << 63) | (B & ~(UINT64_C(1) << 63)))

/* A class is a set of these kinds, in insn.mod. */
enum { IS_ZERO = 1, IS_SUBNORMAL = 2, IS_NORMAL = 4, IS_INFINITE = 8, IS_NAN = 16 };
static inline uint32_t kind_f32(uint32_t u)
{
    uint32_t mag = u & 0x7fffffffu;
    return !mag                 ? IS_ZERO
           : mag < 0x00800000u  ? IS_SUBNORMAL
           : mag < 0x7f800000u  ? IS_NORMAL
           : mag == 0x7f800000u ? IS_INFINITE
                                : IS_NAN;
}
static inline uint32_t kind_f64(uint64_t u)
{
    uint64_t mag = u & ~(UINT64_C(1) << 63), inf = UINT64_C(0x7ff0000000000000);
    return !mag                      ? IS_ZERO
           : mag < UINT64_C(1) << 52 ? IS_SUBNORMAL
           : mag < inf               ? IS_NORMAL
           : mag == inf              ? IS_INFINITE
                                     : IS_NAN;
}
OP_FN(testp_f32)
{
    const uint32_t *pa = SRC(uint32_t, in->o[1]);
    LANE_BITS(m, kind_f32(A) & in->mod);
    pred_set(w, in->o[0], m);
    return in + 1;
}
OP_FN(testp_f64)
{
    const uint64_t *pa = SRC(uint64_t, in->o[1]);
    LANE_BITS(m, kind_f64(A) & in->mod);
    pred_set(w, in->o[0], m);
    return in + 1;
}

/* ---- selecting ---- */
static const uint16_t roundings[] = {S_RN, S_RZ, S_RM, S_RP, S_NONE};

static enum rounding rounding_of(enum ptx_suffix s)
{
    return s == S_RZ ? ROUND_RZ : s == S_RM ? ROUND_RM : s == S_RP ? ROUND_RP : ROUND_RN;
}

/* The approximate forms, all with .approx: opcode and type, and whether .ftz may or must be there.
 */
enum { NO_FTZ, MAY_FTZ, MUST_FTZ };
static const struct approx_row {
    uint8_t op, type, ftz;
    op_fn *fn;
} approx_rows[] = {
    {OP_RCP, T_F32, MAY_FTZ, rcp_approx},     {OP_SQRT, T_F32, MAY_FTZ, sqrt_approx},
    {OP_RSQRT, T_F32, MAY_FTZ, rsqrt_approx}, {OP_SIN, T_F32, MAY_FTZ, sin_approx},
    {OP_COS, T_F32, MAY_FTZ, cos_approx},     {OP_LG2, T_F32, MAY_FTZ, lg2_approx},
    {OP_EX2, T_F32, MAY_FTZ, ex2_approx},     {OP_TANH, T_F32, NO_FTZ, tanh_approx},
    {OP_EX2, T_F16, NO_FTZ, ex2_f16},         {OP_EX2, T_F16X2, NO_FTZ, ex2_f16x2},
    {OP_EX2, T_BF16, MUST_FTZ, ex2_bf16},     {OP_EX2, T_BF16X2, MUST_FTZ, ex2_bf16x2},
    {OP_TANH, T_F16, NO_FTZ, tanh_f16},       {OP_TANH, T_F16X2, NO_FTZ, tanh_f16x2},
    {OP_TANH, T_BF16, NO_FTZ, tanh_bf16},     {OP_TANH, T_BF16X2, NO_FTZ, tanh_bf16x2},
    {OP_RCP, T_F64, MUST_FTZ, rcp_gross},
};

static bool select_approx(form *f, enum ptx_type t)
{
    enum ptx_op op = f->in->op;
    bool ftz = form_take(f, S_FTZ);
    f->mod = ftz ? MOD_FTZ : 0;
    if (op == OP_RSQRT && t == T_F64) f->fn = ftz ? rsqrt_gross : rsqrt_f64;
    for (size_t i = 0; i < sizeof approx_rows / sizeof *approx_rows; i++) {
        const struct approx_row *r = &approx_rows[i];
        if (r->op != op || r->type != t) continue;
        if (ftz ? r->ftz == NO_FTZ : r->ftz == MUST_FTZ) return form_refuse(f, ftz ? "has no .ftz" : "needs .ftz");
        f->fn = r->fn;
    }
    if (!f->fn) return form_refuse(f, "has no .approx for this type");
    form_shape(f, t, t, T_NONE, T_NONE);
    return true;
}

static bool select_rounded(form *f, enum ptx_type t, enum rounding mode)
{
    static op_fn *const narrow[2][4] = {{rcp_rn, rcp_rz, rcp_rm, rcp_rp}, {sqrt_rn, sqrt_rz, sqrt_rm, sqrt_rp}};
    bool root = f->in->op == OP_SQRT;
    if ((!root && f->in->op != OP_RCP) || (t != T_F32 && t != T_F64)) return form_refuse(f, "needs .approx");
    if (t == T_F32) {
        f->fn = narrow[root][mode];
        if (form_take(f, S_FTZ)) f->mod = MOD_FTZ;
        form_shape(f, t, t, T_NONE, T_NONE);
        return true;
    }
    if (!root) form_take(f, S_FTZ); /* as a card: of no effect */
    if (mode == ROUND_RN) {
        f->fn = root ? sqrt_f64_rn : rcp_f64_rn;
    } else {
        f->fn = root ? sqrt_f64 : rcp_f64;
        f->mod = mode;
    }
    form_shape(f, t, t, T_NONE, T_NONE);
    return true;
}

static bool select_testp(form *f)
{
    static const struct {
        uint16_t word, kinds;
    } classes[] = {
        /* a zero is normal, as on a card */
        {S_FINITE, IS_ZERO | IS_SUBNORMAL | IS_NORMAL},
        {S_INFINITE, IS_INFINITE},
        {S_NUMBER, IS_ZERO | IS_SUBNORMAL | IS_NORMAL | IS_INFINITE},
        {S_NOTANUMBER, IS_NAN},
        {S_NORMAL, IS_ZERO | IS_NORMAL},
        {S_SUBNORMAL, IS_SUBNORMAL},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!f->mod && form_take(f, (enum ptx_suffix)classes[i].word)) f->mod = classes[i].kinds;
    enum ptx_type t = form_type(f);
    if (!f->mod || (t != T_F32 && t != T_F64)) return form_refuse(f, "needs the name of a class, and .f32 or .f64");
    f->fn = t == T_F32 ? testp_f32 : testp_f64;
    f->cls = SIM_CLASS_COMPARE;
    form_shape(f, T_PRED, t, T_NONE, T_NONE);
    return true;
}

bool SIM_NAME(select_flt)(form *f)
{
    if (f->in->op == OP_TESTP) return select_testp(f);
    if (f->in->op == OP_COPYSIGN) {
        enum ptx_type t = form_type(f);
        if (t != T_F32 && t != T_F64) return form_refuse(f, "exists for .f32 and .f64 only");
        f->fn = t == T_F32 ? copysign_f32 : copysign_f64;
        f->cls = t == T_F32 ? SIM_CLASS_FP32 : SIM_CLASS_FP64;
        form_shape(f, t, t, t, T_NONE);
        return true;
    }
    f->cls = SIM_CLASS_SPECIAL;
    bool approx = form_take(f, S_APPROX);
    enum ptx_suffix said = approx ? S_NONE : form_take_any(f, roundings);
    enum ptx_type t = form_type(f);
    if (!approx && !said) return form_refuse(f, "needs .approx or a rounding mode");
    return approx ? select_approx(f, t) : select_rounded(f, t, rounding_of(said));
}
