/* float_ops.c: floating-point arithmetic and conversions against independent references.
 *
 * f32 and f64: the host's arithmetic in the rounding mode set with fesetround, through volatile
 * variables so that the compiler cannot move it. Small formats: an exact value, or one rounded to
 * odd with the host's inexact flag; `round_to` rounds it to the format by scaling, rounding to a
 * whole number and scaling back. What IEEE leaves open (which NaN; when .ftz flushes) was measured
 * on an H200 and is stated at `finish32` and `nan64`. Approximations: the host's libm in double,
 * within a bound. Everything runs on each instruction set of this build.
 */
#include "ops.h"
#include <fenv.h>
#include <math.h>

#define REF(name) static uint64_t name(const op_test *t, const op_in *x, uint64_t *second)
#define UNUSED    (void)t, (void)x, (void)second

enum { RN, RZ, RM, RP, RNA };
enum { FTZ = 1, SAT = 2, NAN_ON = 4, XORSIGN = 8, RELU = 16, FINITE = 32 };
enum { ADD, SUB, MUL, FMA, DIV, RCP, SQRT, MIN, MAX, ABS, NEG };
static const char *const mode_names[] = {"rn", "rz", "rm", "rp", "rna"};
static const char *const op_names[] = {"add", "sub", "mul", "fma", "div", "rcp", "sqrt", "min", "max", "abs", "neg"};
static const int op_sources[] = {2, 2, 2, 3, 2, 1, 1, 2, 2, 1, 1};

/* In a test, aux is the operation, aux2 the rounding, bits the modifiers. */
static void direct(int mode)
{
    static const int host[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    fesetround(host[mode]);
}

static float as_f32(uint64_t v)
{
    uint32_t u = (uint32_t)v;
    float r;
    memcpy(&r, &u, 4);
    return r;
}
static uint32_t of_f32(float v)
{
    uint32_t u;
    memcpy(&u, &v, 4);
    return u;
}
static double as_f64(uint64_t v)
{
    double r;
    memcpy(&r, &v, 8);
    return r;
}
static uint64_t of_f64(double v)
{
    uint64_t u;
    memcpy(&u, &v, 8);
    return u;
}

/* ---- f32 ---- */
static float run32(int op, int mode, float a, float b, float c)
{
    volatile float x = a, y = b, z = c, r = 0, one = 1;
    direct(mode);
    switch (op) {
    case ADD: r = x + y; break;
    case SUB: r = x - y; break;
    case MUL: r = x * y; break;
    case FMA: r = fmaf(x, y, z); break;
    case DIV: r = x / y; break;
    case RCP: r = one / x; break;
    case SQRT: r = sqrtf(x); break;
    default: break;
    }
    direct(RN);
    return r;
}
static float flush32(float v) { return fpclassify(v) == FP_SUBNORMAL ? copysignf(0, v) : v; }

/* .ftz flushes a result that is below 2^-126 when rounded without a lower limit to the exponent:
 * the same operation scaled up by 2^64 gives that result. */
static bool tiny32(int op, int mode, float a, float b, float c)
{
    const float up = 0x1p64f;
    float r = run32(op, mode, a, b, c);
    if (!(fabsf(r) <= 0x1p-126f)) return false;
    if (op == MUL || op == FMA) {
        if (fabsf(a) < fabsf(b)) a *= up;
        else b *= up;
        c *= up;
    } else if (op == DIV) {
        if (fabsf(b) > 1) b /= up;
        else a *= up;
    } else if (op == RCP) {
        a /= up;
    } else {
        return fabsf(r) < 0x1p-126f;
    }
    return fabsf(run32(op, mode, a, b, c)) < 0x1p-62f;
}
static uint32_t finish32(float r, int mods)
{
    if (mods & SAT) return of_f32(!(r > 0) ? 0.0f : r < 1 ? r : 1.0f);
    return isnan(r) ? 0x7fffffffu : of_f32(r);
}
REF(ref_f32)
{
    UNUSED;
    float a = as_f32(x->a), b = as_f32(x->b), c = as_f32(x->c);
    if (t->bits & FTZ) a = flush32(a), b = flush32(b), c = flush32(c);
    float r = run32(t->aux, t->aux2, a, b, c);
    if ((t->bits & FTZ) && tiny32(t->aux, t->aux2, a, b, c)) r = copysignf(0, r);
    return finish32(r, t->bits);
}

/* The lesser or greater of two values, given as sign and anything that orders magnitudes. */
static bool takes_first(bool smaller, bool an, uint64_t am, bool bn, uint64_t bm)
{
    bool less = an != bn ? an : an ? am > bm : am < bm;
    return smaller ? less : !less;
}
REF(ref_order32)
{
    UNUSED;
    float a = as_f32(x->a), b = as_f32(x->b);
    if (t->bits & FTZ) a = flush32(a), b = flush32(b);
    bool flip = !signbit(a) != !signbit(b);
    if (t->bits & XORSIGN) a = fabsf(a), b = fabsf(b);
    float r =
        takes_first(t->aux == MIN, signbit(a), of_f32(a) & 0x7fffffff, signbit(b), of_f32(b) & 0x7fffffff) ? a : b;
    if (isnan(a)) r = b;
    if (isnan(b)) r = a;
    if (isnan(r) || ((t->bits & NAN_ON) && (isnan(a) || isnan(b)))) return 0x7fffffff;
    return of_f32((t->bits & XORSIGN) && flip ? -r : r);
}
REF(ref_sign32)
{
    UNUSED;
    float a = as_f32(x->a);
    if (t->bits & FTZ) a = flush32(a);
    return finish32(t->aux == ABS ? fabsf(a) : -a, 0);
}

/* ---- f64 ---- */
/* A NaN result is a quiet copy of a NaN source: b, then c, then a; in a division a, then b. */
static uint64_t nan64(int op, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t list[3] = {b, c, a};
    if (op == DIV) list[0] = a, list[2] = b;
    int sources = op_sources[op];
    for (int i = 0; i < 3; i++) {
        if ((sources < 3 && i == 1) || (sources < 2 && i == 0)) continue;
        if (isnan(as_f64(list[i]))) return list[i] | UINT64_C(1) << 51;
    }
    return UINT64_C(0xfff8000000000000);
}
REF(ref_f64)
{
    UNUSED;
    volatile double a = as_f64(x->a), b = as_f64(x->b), c = as_f64(x->c), r = 0, one = 1;
    direct(t->aux2);
    switch (t->aux) {
    case ADD: r = a + b; break;
    case SUB: r = a - b; break;
    case MUL: r = a * b; break;
    case FMA: r = fma(a, b, c); break;
    case DIV: r = a / b; break;
    case RCP: r = one / a; break;
    case SQRT: r = sqrt(a); break;
    default: break;
    }
    direct(RN);
    return isnan(r) ? nan64(t->aux, x->a, x->b, x->c) : of_f64(r);
}
REF(ref_order64)
{
    UNUSED;
    double a = as_f64(x->a), b = as_f64(x->b);
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? x->b | UINT64_C(1) << 51 : isnan(a) ? x->b : x->a;
    return takes_first(t->aux == MIN, signbit(a), x->a << 1, signbit(b), x->b << 1) ? x->a : x->b;
}
REF(ref_sign64)
{
    UNUSED;
    if (isnan(as_f64(x->a))) return x->a | UINT64_C(1) << 51;
    return t->aux == ABS ? x->a << 1 >> 1 : x->a ^ UINT64_C(1) << 63;
}

/* ---- small formats ---- */
typedef struct format {
    const char *name, *reg;
    int digits, low; /* mantissa bits; exponent of the smallest normal number */
    double most;
    int width;
    char w, kind;
} format;
enum { F16, BF16, F32, F64, TF32, E4M3, E5M2 };
static const format formats[] = {
    {"f16", "h", 10, -14, 65504.0, 16, 'h', 'k'},         {"bf16", "h", 7, -126, 0x1.fep127, 16, 'h', 'j'},
    {"f32", "r", 23, -126, 0x1.fffffep127, 32, 'w', 'f'}, {"f64", "d", 52, -1022, 0x1.fffffffffffffp1023, 64, 'd', 'g'},
    {"tf32", "r", 10, -126, 0x1.ffcp127, 32, 'w', 'f'},   {"e4m3x2", "h", 3, -6, 448.0, 8, 'h', 'i'},
    {"e5m2x2", "h", 2, -14, 57344.0, 8, 'h', 'i'},
};

static double decode(const format *f, uint64_t v)
{
    if (f->width == 64) return as_f64(v);
    if (f == &formats[TF32]) f = &formats[F32];
    int exponent_bits = f->width - 1 - f->digits;
    uint64_t m = v & ((UINT64_C(1) << f->digits) - 1), e = v >> f->digits & ((UINT64_C(1) << exponent_bits) - 1);
    bool top = e == (UINT64_C(1) << exponent_bits) - 1, negative = v >> (f->width - 1) & 1;
    double r;
    if (f == &formats[E4M3] ? top && m == 7 : top && m) return negative ? -NAN : NAN;
    if (top && f != &formats[E4M3]) r = INFINITY;
    else if (!e) r = ldexp((double)m, f->low - f->digits);
    else r = ldexp((double)(m | UINT64_C(1) << f->digits), (int)e - 1 + f->low - f->digits);
    return negative ? -r : r;
}
static uint64_t encode(const format *f, double v) /* v is one of the format's numbers */
{
    bool tf = f == &formats[TF32];
    uint64_t sign = signbit(v) ? UINT64_C(1) << (f->width - 1) : 0;
    int digits = f->digits, e;
    if (isnan(v)) return f->width == 8 ? 0x7f : tf ? 0x7fffe000 : f->width == 32 ? 0x7fffffff : 0x7fff;
    v = fabs(v);
    if (isinf(v)) return sign | ((UINT64_C(1) << (f->width - 1)) - (UINT64_C(1) << (tf ? 23 : digits)));
    uint64_t r;
    if (v < ldexp(1, f->low)) {
        r = (uint64_t)ldexp(v, digits - f->low);
    } else {
        frexp(v, &e);
        r = (uint64_t)ldexp(v, digits - (e - 1)) + ((uint64_t)(e - 1 - f->low) << digits);
    }
    return sign | (tf ? r << 13 : r);
}
/* Rounds v (exact, or rounded to odd) to a number of the format in the given direction. */
static double round_to(const format *f, double v, int mode)
{
    if (isnan(v) || isinf(v) || v == 0) return v;
    int e;
    frexp(v, &e);
    e = e - 1 < f->low ? f->low : e - 1;
    double q = ldexp(v, f->digits - e), whole = 0; /* fits: at most 53 bits, no underflow */
    switch (mode) {
    case RN: whole = nearbyint(q); break;
    case RZ: whole = trunc(q); break;
    case RM: whole = floor(q); break;
    case RP: whole = ceil(q); break;
    default: whole = round(q);
    }
    double r = ldexp(whole, e - f->digits);
    if (fabs(r) > f->most) {
        bool inf = mode == RN || mode == RNA || (mode == RP && v > 0) || (mode == RM && v < 0);
        r = inf ? INFINITY : f->most;
    }
    return copysign(r, v);
}
/* a * b + c in f64, rounded to odd by means of the inexact flag. */
static double fma_odd(double a, double b, double c)
{
    volatile double p = a * b, z = c, s; /* the product of two small numbers is exact */
    feclearexcept(FE_ALL_EXCEPT);
    direct(RZ);
    s = p + z;
    direct(RN);
    uint64_t u = of_f64(s);
    return fetestexcept(FE_INEXACT) && !isnan(s) && !isinf(s) ? as_f64(u | 1) : s;
}

static const format *format_named(char kind) { return &formats[kind == 'k' ? F16 : BF16]; }
static double flush_half(const format *f, double v, int mods)
{
    return (mods & FTZ) && fabs(v) < ldexp(1, f->low) ? copysign(0, v) : v;
}
static uint64_t half_lane(const op_test *t, uint64_t va, uint64_t vb, uint64_t vc)
{
    const format *f = format_named(t->kinds[0]);
    int op = t->aux, mods = t->bits;
    double a = flush_half(f, decode(f, va), mods), b = flush_half(f, decode(f, vb), mods),
           c = flush_half(f, decode(f, vc), mods);
    double r;
    switch (op) {
    case ADD: r = fma_odd(a, 1, b); break;
    case SUB: r = fma_odd(a, 1, -b); break;
    case MUL: r = a * b; break;
    case FMA: r = fma_odd(a, b, c); break;
    case ABS: return encode(f, fabs(a));
    case NEG: return encode(f, -a);
    default: {
        bool flip = !signbit(a) != !signbit(b);
        if (mods & XORSIGN) a = fabs(a), b = fabs(b);
        r = takes_first(op == MIN, signbit(a), of_f64(fabs(a)), signbit(b), of_f64(fabs(b))) ? a : b;
        if (isnan(a)) r = b;
        if (isnan(b)) r = a;
        if ((mods & NAN_ON) && (isnan(a) || isnan(b))) r = NAN;
        return encode(f, (mods & XORSIGN) && flip ? -r : r);
    }
    }
    format unlimited = *f;
    unlimited.low = -1000;
    bool tiny = fabs(round_to(&unlimited, r, RN)) < ldexp(1, f->low);
    r = (mods & FTZ) && tiny ? copysign(0, r) : round_to(f, r, RN);
    if (mods & SAT) r = !(r > 0) ? 0 : r < 1 ? r : 1;
    if (mods & RELU) r = signbit(r) && !isnan(r) ? 0 : r;
    return encode(f, r);
}
REF(ref_half)
{
    UNUSED;
    return half_lane(t, x->a, x->b, x->c);
}
REF(ref_half2)
{
    UNUSED;
    return half_lane(t, x->a & 0xffff, x->b & 0xffff, x->c & 0xffff) | half_lane(t, x->a >> 16, x->b >> 16, x->c >> 16)
                                                                           << 16;
}

/* ---- conversions ---- */
/* In these tests aux2 is the rounding, bits the modifiers, aux the source (a format, or 100 + a
 * type of integer). `to` is packed into aux as well and says the destination. */
typedef struct integer {
    const char *name;
    int bits;
    bool sign;
    char w;
} integer;
static const integer integers[] = {{"u8", 8, false, 'h'},   {"s8", 8, true, 'h'},    {"u16", 16, false, 'h'},
                                   {"s16", 16, true, 'h'},  {"u32", 32, false, 'w'}, {"s32", 32, true, 'w'},
                                   {"u64", 64, false, 'd'}, {"s64", 64, true, 'd'}};
enum { INTEGER = 16 };
static int pack_types(int to, int from) { return to | from << 8; }
static int to_of(const op_test *t) { return t->aux & 0xff; }
static int from_of(const op_test *t) { return t->aux >> 8; }

/* How an integer result fills its register. */
static uint64_t fill(uint64_t v, const integer *i)
{
    return i->sign ? (uint64_t)as_signed(v, i->bits) : cut(v, i->bits);
}
static uint64_t clamp_integer(uint64_t v, bool negative, const integer *to)
{
    uint64_t most = ~UINT64_C(0) >> (64 - to->bits + to->sign);
    if (!negative) return v > most ? most : v;
    if (!to->sign) return 0;
    return 0 - v > most + 1 ? 0 - most - 1 : v;
}
REF(ref_int_to_int)
{
    UNUSED;
    const integer *to = &integers[to_of(t) - INTEGER], *from = &integers[from_of(t) - INTEGER];
    uint64_t v = fill(x->a, from);
    return fill(t->bits & SAT ? clamp_integer(v, from->sign && v >> 63, to) : v, to);
}
REF(ref_float_to_int)
{
    UNUSED;
    const integer *to = &integers[to_of(t) - INTEGER];
    const format *f = &formats[from_of(t)];
    double v = decode(f, x->a);
    if ((t->bits & FTZ) && f == &formats[F32] && fabs(v) < 0x1p-126) v = 0;
    if (isnan(v)) return fill(to->bits == 64 || f == &formats[F64] ? UINT64_C(1) << (to->bits - 1) : 0, to);
    v = t->aux2 == RZ ? trunc(v) : t->aux2 == RM ? floor(v) : t->aux2 == RP ? ceil(v) : nearbyint(v);
    if (fabs(v) >= 0x1p64) return fill(clamp_integer(v < 0 ? UINT64_C(1) << 63 : ~UINT64_C(0), v < 0, to), to);
    if (v < 0)
        return fill(v < -0x1p63 ? clamp_integer(UINT64_C(1) << 63, true, to)
                                : clamp_integer((uint64_t)(int64_t)v, true, to),
                    to);
    return fill(clamp_integer((uint64_t)v, false, to), to);
}
/* Converts d to the format, with its modifiers; the host does it for f32 and f64. */
static uint64_t write_format(double d, const format *f, int mode, int mods)
{
    if (mods & SAT) d = !(d > 0) ? 0 : d < 1 ? d : 1;
    if ((mods & RELU) && d <= 0) d = 0;
    double r;
    if (f == &formats[F64]) return of_f64(d);
    if (f == &formats[F32]) {
        volatile double in = d;
        volatile float out;
        direct(mode);
        out = (float)in;
        direct(RN);
        r = (double)out;
        if ((mods & FTZ) && fabs(r) < 0x1p-126) r = copysign(0, r);
        return isnan(r) ? 0x7fffffff : of_f32((float)r);
    }
    r = round_to(f, d, mode);
    if ((mods & FINITE) && isinf(r)) r = copysign(f->most, r);
    return encode(f, r);
}
REF(ref_int_to_float)
{
    UNUSED;
    const integer *from = &integers[from_of(t) - INTEGER];
    const format *f = &formats[to_of(t)];
    uint64_t v = fill(x->a, from), size = from->sign && v >> 63 ? 0 - v : v;
    bool negative = size != v || (from->sign && v >> 63);
    if (!size) return 0;
    if (f == &formats[F64]) { /* round the magnitude to 53 bits by hand */
        int drop = 0;
        while (size >> drop >> 53) drop++;
        uint64_t q = size >> drop, rest = size - (q << drop), half = drop ? UINT64_C(1) << (drop - 1) : 0;
        bool up = t->aux2 == RN   ? rest > half || (rest && rest == half && q & 1)
                  : t->aux2 == RM ? rest && negative
                                  : t->aux2 == RP && rest && !negative;
        double r = ldexp((double)(q + up), drop);
        return write_format(negative ? -r : r, f, RN, t->bits);
    }
    double d = size >> 52 ? ldexp((double)(size >> 12 | ((size & 0xfff) != 0)), 12) : (double)size; /* rounded to odd */
    return write_format(negative ? -d : d, f, t->aux2, t->bits);
}
static uint64_t spread_nan(uint64_t v, const format *from, const format *to)
{
    uint64_t payload = (v & ((UINT64_C(1) << from->digits) - 1)) << (52 - from->digits);
    uint64_t sign = v >> (from->width - 1) & 1;
    uint64_t exponent = (UINT64_C(1) << (to->width - 1)) - (UINT64_C(1) << to->digits);
    return sign << (to->width - 1) | exponent | UINT64_C(1) << (to->digits - 1) | payload >> (52 - to->digits);
}
REF(ref_float_to_float)
{
    UNUSED;
    const format *from = &formats[from_of(t)], *to = &formats[to_of(t)];
    double d = decode(from, x->a);
    bool with_f64 = from == &formats[F64] || to == &formats[F64];
    if ((t->bits & FTZ) && from == &formats[F32] && to != &formats[F16] && fabs(d) < 0x1p-126) d = copysign(0, d);
    if (isnan(d) && with_f64 && !(t->bits & SAT))
        return spread_nan((t->bits & FTZ) && from == &formats[F32] ? 0x7fffffff : x->a, from, to);
    if (isnan(d) && from == &formats[BF16] && to == &formats[F32] && !t->bits) return x->a << 16;
    if (from == to) {
        double v = t->aux2 == RZ ? trunc(d) : t->aux2 == RM ? floor(d) : t->aux2 == RP ? ceil(d) : nearbyint(d);
        return write_format(copysign(v, d), to, RN, t->bits);
    }
    return write_format(d, to, t->aux2, t->bits);
}
REF(ref_tf32_rna)
{
    UNUSED;
    uint64_t u = x->a & 0xffffe000, rest = x->a & 0x1fff;
    if (isfinite(as_f32(x->a)) && rest >= 0x1000) u += 0x2000;
    return (t->bits & FINITE) && !isfinite(as_f32(u)) ? u - 0x2000 : u;
}
REF(ref_pair)
{
    UNUSED;
    const format *f = &formats[to_of(t)];
    return write_format(as_f32(x->a), f, t->aux2, t->bits) << f->width |
           write_format(as_f32(x->b), f, t->aux2, t->bits);
}
REF(ref_pair_from_f16x2)
{
    UNUSED;
    const format *f = &formats[to_of(t)], *h = &formats[F16];
    return write_format(decode(h, x->a >> 16), f, RN, t->bits) << 8 |
           write_format(decode(h, x->a & 0xffff), f, RN, t->bits);
}
REF(ref_f16x2_from)
{
    UNUSED;
    const format *f = &formats[from_of(t)], *h = &formats[F16];
    uint64_t high = write_format(decode(f, x->a >> 8 & 0xff), h, RN, 0),
             low = write_format(decode(f, x->a & 0xff), h, RN, 0);
    if (t->bits & RELU) high = high >> 15 ? 0 : high, low = low >> 15 ? 0 : low;
    return high << 16 | low;
}
REF(ref_pack)
{
    UNUSED;
    const integer *to = &integers[to_of(t) - INTEGER];
    uint64_t a = cut(clamp_integer(fill(x->a, &integers[5]), x->a >> 31 & 1, to), to->bits);
    uint64_t b = cut(clamp_integer(fill(x->b, &integers[5]), x->b >> 31 & 1, to), to->bits);
    return to->bits == 8 ? x->c << 16 | a << 8 | b : a << 16 | b;
}

/* ---- classes and signs ---- */
REF(ref_copysign32)
{
    UNUSED;
    return (x->a & 0x80000000) | (x->b & 0x7fffffff);
}
REF(ref_copysign64)
{
    UNUSED;
    return x->a >> 63 << 63 | x->b << 1 >> 1;
}
static const char *const class_names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
REF(ref_testp)
{
    UNUSED;
    int c = t->bits == 32 ? fpclassify(as_f32(x->a)) : fpclassify(as_f64(x->a));
    switch (t->aux) {
    case 0: return c != FP_INFINITE && c != FP_NAN;
    case 1: return c == FP_INFINITE;
    case 2: return c != FP_NAN;
    case 3: return c == FP_NAN;
    case 4: return c == FP_NORMAL || c == FP_ZERO;
    default: return c == FP_SUBNORMAL;
    }
}

/* ---- the list ---- */
static void add(const char *opcode, const char *widths, const char *kinds, op_ref *ref, int aux, int aux2, int bits)
{
    static const char *const operands[] = {"", "$d,$a", "$d,$a,$b", "$d,$a,$b,$c"};
    op_test *t = add_test(widths, kinds, ref, "%s %s;", opcode, operands[strlen(widths) - 1]);
    t->aux = aux, t->aux2 = aux2, t->bits = bits;
}
static const char *spell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static const char *spell(const char *fmt, ...)
{
    static char s[4][64];
    static int turn;
    char *r = s[turn++ & 3];
    va_list v;
    va_start(v, fmt);
    vsnprintf(r, 64, fmt, v);
    va_end(v);
    return r;
}
static const char *words(int bits) /* in the manual's order */
{
    return spell("%s%s%s%s%s", bits & FTZ ? ".ftz" : "", bits & SAT ? ".sat" : "", bits & RELU ? ".relu" : "",
                 bits & NAN_ON ? ".NaN" : "", bits & XORSIGN ? ".xorsign.abs" : "");
}

static void add_arithmetic(void)
{
    static const char *const w32[] = {"", "ww", "www", "wwww"}, *const w64[] = {"", "dd", "ddd", "dddd"};
    for (int op = ADD; op <= SQRT; op++)
        for (int mode = RN; mode <= RP; mode++) {
            int n = op_sources[op];
            for (int mods = 0; mods < 4; mods++) {
                if ((mods & SAT) && op > FMA) continue;
                const char *form = spell("%s.%s%s.f32", op_names[op], mode_names[mode], words(mods));
                add(form, w32[n], "fff", ref_f32, op, mode, mods);
                add(form, w32[n], "FFF", ref_f32, op, mode, mods);
            }
            const char *form = spell("%s.%s.f64", op_names[op], mode_names[mode]);
            add(form, w64[n], "ggg", ref_f64, op, mode, 0);
            add(form, w64[n], "GGG", ref_f64, op, mode, 0);
        }
    for (int op = MIN; op <= NEG; op++) {
        int n = op_sources[op];
        bool order = op <= MAX;
        for (int mods = 0; mods < (order ? 16 : 2); mods++)
            if (!(mods & SAT))
                add(spell("%s%s.f32", op_names[op], words(mods)), w32[n], "ff", order ? ref_order32 : ref_sign32, op, 0,
                    mods);
        add(spell("%s.f64", op_names[op]), w64[n], "gg", order ? ref_order64 : ref_sign64, op, 0, 0);
    }
    add("mad.rz.f32", "wwww", "FFF", ref_f32, FMA, RZ, 0);
    add("mad.rn.f64", "dddd", "GGG", ref_f64, FMA, RN, 0);
    add("copysign.f32", "www", "ff", ref_copysign32, 0, 0, 0);
    add("copysign.f64", "ddd", "gg", ref_copysign64, 0, 0, 0);
    for (int c = 0; c < 6; c++) {
        add(spell("testp.%s.f32", class_names[c]), "pw", "f", ref_testp, c, 0, 32);
        add(spell("testp.%s.f64", class_names[c]), "pd", "g", ref_testp, c, 0, 64);
    }
}

static void add_halves(void)
{
    static const char *const w16[] = {"", "hh", "hhh", "hhhh"}, *const w32[] = {"", "ww", "www", "wwww"};
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "bf16" : "f16", *kinds = i ? "jjj" : "kkk";
        for (int op = ADD; op <= NEG; op++) {
            if (op >= DIV && op <= SQRT) continue;
            bool order = op == MIN || op == MAX, arith = op <= FMA;
            for (int mods = 0; mods < 32; mods++) {
                if (i && (mods & (FTZ | SAT))) continue;
                if ((mods & (NAN_ON | XORSIGN)) && !order) continue;
                if ((mods & SAT) && !arith) continue;
                if ((mods & RELU) && (op != FMA || (mods & SAT))) continue;
                const char *form = spell("%s%s%s.%s", op_names[op], arith ? ".rn" : "", words(mods), name);
                add(form, w16[op_sources[op]], kinds, ref_half, op, RN, mods);
                add(form, w16[op_sources[op]], i ? "jxj" : "kxx", ref_half, op, RN, mods);
                tests[test_count - 1].kinds[0] = kinds[0];
                add(spell("%sx2", form), w32[op_sources[op]], kinds, ref_half2, op, RN, mods);
            }
        }
    }
}

static void add_conversions(void)
{
    static const char *const whole[] = {"rni", "rzi", "rmi", "rpi"};
    for (int to = 0; to < 8; to++)
        for (int from = 0; from < 8; from++)
            for (int sat = 0; sat <= SAT; sat += SAT) {
                if (to == from && !sat) continue;
                const char w[3] = {integers[to].w, integers[from].w, 0};
                add(spell("cvt%s.%s.%s", words(sat), integers[to].name, integers[from].name), w, "i", ref_int_to_int,
                    pack_types(to + INTEGER, from + INTEGER), 0, sat);
            }
    for (int i = 0; i < 8; i++)
        for (int fl = F16; fl <= F64; fl++)
            for (int mode = RN; mode <= RP; mode++) {
                const format *f = &formats[fl];
                const char there[3] = {integers[i].w, f->w, 0}, back[3] = {f->w, integers[i].w, 0},
                           kind[2] = {f->kind, 0};
                add(spell("cvt.%s.%s.%s", whole[mode], integers[i].name, f->name), there, kind, ref_float_to_int,
                    pack_types(i + INTEGER, fl), mode, 0);
                add(spell("cvt.%s.%s.%s", mode_names[mode], f->name, integers[i].name), back, "i", ref_int_to_float,
                    pack_types(fl, i + INTEGER), mode, 0);
                if (fl != F32) continue;
                add(spell("cvt.%s.ftz.%s.f32", whole[mode], integers[i].name), there, "f", ref_float_to_int,
                    pack_types(i + INTEGER, fl), mode, FTZ);
                add(spell("cvt.%s.sat.f32.%s", mode_names[mode], integers[i].name), back, "i", ref_int_to_float,
                    pack_types(fl, i + INTEGER), mode, SAT);
            }
    for (int to = F16; to <= F64; to++)
        for (int from = F16; from <= F64; from++)
            for (int mode = RN; mode <= RP; mode++)
                for (int mods = 0; mods < 4; mods++) {
                    const format *d = &formats[to], *a = &formats[from];
                    const char w[3] = {d->w, a->w, 0}, kind[2] = {a->kind, 0};
                    bool wider = d->width > a->width;
                    if ((mods & FTZ) && to != F32 && from != F32) continue;
                    if (wider && mode) continue;
                    const char *rounding = wider        ? ""
                                           : to == from ? spell(".%s", whole[mode])
                                                        : spell(".%s", mode_names[mode]);
                    add(spell("cvt%s%s.%s.%s", rounding, words(mods), d->name, a->name), w, kind, ref_float_to_float,
                        pack_types(to, from), mode, mods);
                }
    for (int mode = RN; mode <= RZ; mode++) {
        for (int to = F16; to <= BF16; to++)
            for (int mods = 0; mods < 4; mods++) {
                int bits = (mods & 1 ? RELU : 0) | (mods & 2 ? FINITE : 0);
                const char *middle = spell("%s%s%s", mode_names[mode], words(bits), bits & FINITE ? ".satfinite" : "");
                add(spell("cvt.%s.%sx2.f32", middle, formats[to].name), "www", "ff", ref_pair, pack_types(to, F32),
                    mode, bits);
                add(spell("cvt.%s.%s.f32", middle, formats[to].name), "hw", "f", ref_float_to_float,
                    pack_types(to, F32), mode, bits);
            }
        add(spell("cvt.%s.tf32.f32", mode_names[mode]), "ww", "f", ref_float_to_float, pack_types(TF32, F32), mode, 0);
    }
    add("cvt.rna.tf32.f32", "ww", "f", ref_tf32_rna, 0, RNA, 0);
    add("cvt.rna.satfinite.tf32.f32", "ww", "f", ref_tf32_rna, 0, RNA, FINITE);
    for (int e = E4M3; e <= E5M2; e++)
        for (int relu = 0; relu <= RELU; relu += RELU) {
            const char *n = formats[e].name;
            add(spell("cvt.rn.satfinite%s.%s.f32", words(relu), n), "hww", "FF", ref_pair, pack_types(e, F32), RN,
                relu | FINITE);
            add(spell("cvt.rn.satfinite%s.%s.f16x2", words(relu), n), "hw", "k", ref_pair_from_f16x2,
                pack_types(e, F16), RN, relu | FINITE);
            add(spell("cvt.rn%s.f16x2.%s", words(relu), n), "wh", "x", ref_f16x2_from, pack_types(F16, e), RN, relu);
        }
    add("cvt.pack.sat.u16.s32", "www", "ii", ref_pack, pack_types(2 + INTEGER, 0), 0, 0);
    add("cvt.pack.sat.s16.s32", "www", "ii", ref_pack, pack_types(3 + INTEGER, 0), 0, 0);
    add("cvt.pack.sat.u8.s32.b32", "wwww", "iix", ref_pack, pack_types(0 + INTEGER, 0), 0, 0);
    add("cvt.pack.sat.s8.s32.b32", "wwww", "iix", ref_pack, pack_types(1 + INTEGER, 0), 0, 0);
}

/* ---- approximations ---- */
static double turns(double x) /* a card's sin and cos take turns, cut to 24 digits */
{
    volatile float in = (float)x, r;
    direct(RZ);
    r = in * 0.15915494f;
    direct(RN);
    return (double)flush32(r);
}
static double sin_of_turns(double f) /* |f| <= 1/2; libm is exact at the quarters only when it is given small angles */
{
    if (fabs(f) > 0.25) f = copysign(0.5, f) - f;
    return sin(2 * 3.14159265358979323846 * f);
}
static double true_sin(double x) { return isfinite(x) ? sin_of_turns(remainder(turns(x), 1)) : NAN; }
static double true_cos(double x) { return isfinite(x) ? sin_of_turns(0.25 - fabs(remainder(turns(x), 1))) : NAN; }
static double true_rcp(double x) { return 1 / x; }
static double true_rsqrt(double x) { return 1 / sqrt(x); }
static double true_lg2(double x) { return log2(x); }
static double true_ex2(double x) { return exp2(x); }

static const struct approximation {
    const char *text;
    double (*truth)(double);
    int format; /* of source and result */
} approximations[] = {
    {"rcp.approx.f32", true_rcp, F32},     {"sqrt.approx.f32", sqrt, F32},
    {"rsqrt.approx.f32", true_rsqrt, F32}, {"sin.approx.f32", true_sin, F32},
    {"cos.approx.f32", true_cos, F32},     {"lg2.approx.f32", true_lg2, F32},
    {"ex2.approx.f32", true_ex2, F32},     {"tanh.approx.f32", tanh, F32},
    {"rcp.approx.ftz.f32", true_rcp, F32}, {"rsqrt.approx.ftz.f32", true_rsqrt, F32},
    {"sin.approx.ftz.f32", true_sin, F32}, {"lg2.approx.ftz.f32", true_lg2, F32},
    {"ex2.approx.ftz.f32", true_ex2, F32}, {"ex2.approx.f16", true_ex2, F16},
    {"tanh.approx.f16", tanh, F16},        {"ex2.approx.ftz.bf16", true_ex2, BF16},
    {"tanh.approx.bf16", tanh, BF16},      {"rsqrt.approx.f64", true_rsqrt, F64},
};

/* Is it the nearest number of the format to the true value, or one of the two nearest where that
 * value is almost halfway? The error is at most 0.5 ulp and a thousandth (1 ulp for f64). */
static bool close_enough(const format *f, double truth, uint64_t got, bool ftz)
{
    double v = decode(f, got), smallest = ldexp(1, f->low);
    if (isnan(truth)) return isnan(v);
    if (ftz && fabs(truth) < smallest) return v == 0 || (fabs(v) == smallest && fabs(truth) > 0.999 * smallest);
    if (isinf(v) || isinf(truth))
        return v == truth || (isinf(v) && fabs(truth) > f->most && signbit(v) == signbit(truth));
    int e = -2000;
    if (truth != 0) frexp(truth, &e);
    double ulp = ldexp(1, (e - 1 < f->low ? f->low : e - 1) - f->digits);
    if (truth == 0 && v != 0) return false;
    return fabs(v - truth) <= (f->width == 64 ? 1.0 : 0.501) * ulp;
}

static void run_approximations(sim *s, uint64_t base, uint64_t *data)
{
    for (size_t i = 0; i < sizeof approximations / sizeof *approximations; i++) {
        const struct approximation *a = &approximations[i];
        const format *f = &formats[a->format];
        bool ftz = strstr(a->text, ".ftz") != NULL;
        sim_error err;
        memset(&err, 0, sizeof err);
        sim_module *m = NULL;
        ptx_text o = {0};
        op_test t;
        memset(&t, 0, sizeof t);
        snprintf(t.text, sizeof t.text, "%s $d,$a;", a->text);
        t.widths[0] = t.widths[1] = f->w;
        put(&o, ".version 8.0\n.target sm_90\n.address_size 64\n");
        put_kernel(&o, &t, 0, V_ALL);
        int bad = sim_load(s, "ops.ptx", o.at, o.used, &m, &err) != SIM_OK;
        if (bad) printf("FAIL %s [%s]: %s\n", a->text, isa, err.message);
        for (int round = 0; round < 8 && !bad; round++) {
            for (int j = 0; j < THREADS; j++) {
                data[j] = pick_input(round % 2 ? (f->w == 'h' ? 'x' : f->w == 'd' ? 'G' : 'F') : f->kind, f->width);
                if (round > 4 && f == &formats[F32]) data[j] = of_f32((float)((int64_t)next_random() >> 33) * 0x1p-24f);
            }
            sim_write(s, base, data, THREADS * 8, &err);
            if (!run_kernel(s, m, "t0_0", base, THREADS / 128, 128)) {
                bad = 1;
                break;
            }
            sim_read(s, base, data, ARRAYS * THREADS * 8, &err);
            for (int j = 0; j < THREADS && !bad; j++) {
                double x = decode(f, cut(data[j], f->width));
                if (ftz && fabs(x) < ldexp(1, f->low)) x = copysign(0, x);
                uint64_t got = data[4 * THREADS + j];
                if (close_enough(f, a->truth(x), got, ftz)) continue;
                printf("FAIL %s [%s] of %llx (%g) gives %llx (%.9g), not %.9g\n", a->text, isa,
                       (unsigned long long)data[j], x, (unsigned long long)got, decode(f, got), a->truth(x));
                bad = 1;
            }
        }
        check_count(!bad);
        if (m) sim_unload(s, m);
        free(o.at);
    }
}

/* div.approx and div.full: the nearest quotient, and PTX's rule for huge divisors. */
REF(ref_div_approx)
{
    UNUSED;
    float a = as_f32(x->a), b = as_f32(x->b);
    if (t->bits & FTZ) a = flush32(a), b = flush32(b);
    bool huge = t->aux && fabsf(b) > 0x1p126f && !isinf(b);
    if (huge && isinf(a)) return 0x7fffffff;
    if (huge && !isnan(a)) return !signbit(a) == !signbit(b) ? 0 : 0x80000000;
    if ((t->bits & FTZ) && tiny32(DIV, RN, a, b, 0)) return of_f32(copysignf(0, a) * copysignf(1, b));
    return finish32(run32(DIV, RN, a, b, 0), 0);
}

int main(void)
{
    add_arithmetic();
    add_halves();
    add_conversions();
    for (int k = 0; k < 4; k++)
        add(spell("div.%s%s.f32", k & 2 ? "approx" : "full", words(k & 1)), "www", k & 2 ? "ff" : "FF", ref_div_approx,
            k & 2, RN, k & 1);
    also = run_approximations;
    return run_tests();
}
