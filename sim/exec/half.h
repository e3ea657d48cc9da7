/* half.h: the bits of floating-point numbers, and the small formats: f16, bf16, tf32, e4m3, e5m2.
 *
 * Everything here is inline, integer-only where it rounds, and vectorises when called for 32 lanes
 * with a constant rounding mode. Reading a small format to f32 (or f64) is exact. Writing one
 * rounds once, from f32. A wider value is first rounded to odd in f32 (f64_to_f32_odd), which keeps
 * the second rounding right.
 *
 *   f16    s eeeee mmmmmmmmmm              largest 65504, has infinity
 *   bf16   s eeeeeeee mmmmmmm              the upper half of an f32
 *   e5m2   s eeeee mm                      the upper half of an f16
 *   e4m3   s eeee mmm                      largest 448, no infinity; s1111111 is NaN
 *   tf32   an f32 whose lower 13 bits do not count
 *
 * A NaN result is always the canonical one: 0x7fffffff, 0x7fff, 0x7f.
 */
#ifndef SIM_HALF_H
#define SIM_HALF_H

#include "lanes.h"

enum rounding { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA };

/* Modifiers of a form besides its rounding, in insn.mod. */
enum { MOD_FTZ = 1, MOD_SAT = 2, MOD_NAN = 4, MOD_XORSIGN = 8, MOD_RELU = 16 };

#define F32_NAN  0x7fffffffu
#define F16_NAN  0x7fffu
#define BF16_NAN 0x7fffu

/* Operations whose expression looks at `mod`, a copy of insn.mod. */
#define MOD_OP(name, DT, sources, expr) \
    OP_FN(name)                         \
    {                                   \
        const uint32_t mod = in->mod;   \
        sources;                        \
        LANE_STORE_LONG(DT, expr);      \
    }
#define MOD_OP1(name, DT, T, expr) MOD_OP(name, DT, const T *pa = SRC(T, in->o[1]), expr)
#define MOD_OP2(name, DT, T, expr) \
    MOD_OP(name, DT, const T *pa = SRC(T, in->o[1]); const T *pb = SRC(T, in->o[2]), expr)
#define MOD_OP3(name, DT, T, expr)                                                   \
    MOD_OP(name, DT, const T *pa = SRC(T, in->o[1]); const T *pb = SRC(T, in->o[2]); \
           const T *pc = SRC(T, in->o[3]), expr)

static inline uint32_t f32_bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline float bits_f32(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static inline uint64_t f64_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline double bits_f64(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}
#define F64_NAN   UINT64_C(0xfff8000000000000)
#define F64_QUIET UINT64_C(0x0008000000000000)
/* The result of arithmetic on a, b and c. Of several NaN sources a card keeps the second, then the third, then the
 * first; a division keeps the first. */
static inline uint64_t f64_out(double r, double a, double b, double c)
{
    const uint64_t nan = b != b   ? f64_bits(b) | F64_QUIET
                         : c != c ? f64_bits(c) | F64_QUIET
                         : a != a ? f64_bits(a) | F64_QUIET
                                  : F64_NAN;
    return r != r ? nan : f64_bits(r);
}
/* The memory's own adder passes a NaN on unchanged, the operand's first. */
static inline uint64_t f64_added_in_memory(uint64_t x, uint64_t b)
{
    const double a = bits_f64(x), c = bits_f64(b);
    return c != c ? b : a != a ? x : f64_out(a + c, a, c, 0);
}

/* A result as PTX defines it: any NaN becomes the canonical one. */
static inline uint32_t f32_out(float r) { return r != r ? F32_NAN : f32_bits(r); }

/* Subnormals become zero, the sign stays. */
static inline uint32_t f32_flush_bits(uint32_t u) { return u & 0x7f800000u ? u : u & 0x80000000u; }
static inline float f32_flush(float x) { return bits_f32(f32_flush_bits(f32_bits(x))); }

/* To [0, 1]; NaN and -0 become +0. */
static inline float f32_clamp(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static inline double f64_clamp(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

/* d rounded to f32 in the given direction. */
static inline float f64_to_f32(double d, enum rounding mode)
{
    float r = (float)d;
    if (mode == ROUND_RN) return r;
    double back = (double)r;
    uint32_t u = f32_bits(r), negative = u >> 31;
    /* one step toward zero, or away from it; a zero steps to the smallest subnormal of the other
     * sign */
    uint32_t down = negative ? u + 1 : (u ? u - 1 : 0x80000001u);
    uint32_t up = !negative ? u + 1 : (u & 0x7fffffffu ? u - 1 : 1u);
    bool too_high = back > d, too_low = back < d;
    if (mode == ROUND_RZ) return bits_f32((too_high && d > 0) || (too_low && d < 0) ? u - 1 : u);
    if (mode == ROUND_RM) return bits_f32(too_high ? down : u);
    return bits_f32(too_low ? up : u);
}

/* A result as PTX defines it: `exact` (or that rounded to odd) rounded to f32, with .sat and .ftz.
 * .ftz flushes what is below 2^-126 when rounded to 24 digits with no lower limit. So a little less
 * than 2^-126 is flushed, although an f32 with subnormals would round it up to 2^-126.
 */
static inline uint32_t f32_give(double exact, enum rounding mode, uint32_t mod)
{
    float r = f64_to_f32(exact, mode);
    uint32_t u = mod & MOD_SAT ? f32_bits(f32_clamp(r)) : f32_out(r);
    double size = fabs(exact); /* no comparison: clang 14 thinks 1 / sqrt(x) is never below 0 */
    bool below = (u & 0x7f800000u) == 0 || (mode == ROUND_RN ? size < 0x1.ffffffp-127 : size <= 0x1.fffffep-127);
    return (mod & MOD_FTZ) && below ? u & 0x80000000u : u;
}
static inline float f32_take(float x, uint32_t mod) { return mod & MOD_FTZ ? f32_flush(x) : x; }

/* d rounded to odd: toward zero, with the lowest bit set if that lost anything. Infinity and NaN
 * stay. A value too large for f32 becomes its largest number (which is odd), not infinity. */
static inline float f64_to_f32_odd(double d)
{
    float r = f64_to_f32(d, ROUND_RZ);
    return bits_f32(f32_bits(r) | ((double)r < d || (double)r > d ? 1u : 0u));
}

/* s = x + y in f64, to odd. x and y are f32 values or products of two, so nothing overflows. */
static inline double sum_to_odd(double x, double y)
{
    double s = x + y, part = s - x;
    double lost = (x - (s - part)) + (y - part); /* exactly what rounding s lost (Knuth) */
    uint64_t u = f64_bits(s);
    uint64_t step = (lost > 0) == (s > 0) ? 1 : ~UINT64_C(0);
    u += (lost > 0 || lost < 0) && !(u & 1) ? step : 0; /* a NaN comes from an infinity: keep it */
    return bits_f64(u);
}

/* ---- reading ---- */
static inline float f16_to_f32(uint32_t h)
{
    uint32_t sign = (h & 0x8000u) << 16, mag = h & 0x7fffu;
    uint32_t small = f32_bits((float)(int32_t)(mag & 0x3ffu) * 0x1p-24f);
    uint32_t large = (mag << 13) + (112u << 23);
    uint32_t special = mag == 0x7c00u ? 0x7f800000u : 0x7fffffffu;
    uint32_t u = mag < 0x400u ? small : mag >= 0x7c00u ? special : large;
    return bits_f32(mag > 0x7c00u ? F32_NAN : u | sign);
}
static inline float bf16_to_f32(uint32_t h)
{
    uint32_t u = h << 16;
    return bits_f32((u & 0x7fffffffu) > 0x7f800000u ? F32_NAN : u);
}
static inline float e5m2_to_f32(uint32_t b) { return f16_to_f32((b & 0xffu) << 8); }
static inline float e4m3_to_f32(uint32_t b)
{
    uint32_t sign = (b & 0x80u) << 24, mag = b & 0x7fu;
    uint32_t small = f32_bits((float)(int32_t)(mag & 7u) * 0x1p-9f);
    uint32_t large = (mag << 20) + (120u << 23);
    return bits_f32(mag == 0x7fu ? F32_NAN : (mag < 8u ? small : large) | sign);
}
/* The same as f16, which has them all. Masks in place of conditions, so that loops over them become vectors. */
static inline uint32_t e5m2_to_f16(uint32_t b)
{
    const uint32_t h = (b & 0xffu) << 8, is_nan = 0u - ((h & 0x7fffu) > 0x7c00u);
    return (h & ~is_nan) | (0x7fffu & is_nan);
}
static inline uint32_t e4m3_to_f16(uint32_t b)
{
    const uint32_t mag = b & 0x7fu, sign = (b & 0x80u) << 8, large = (mag << 7) + (8u << 10);
    const uint32_t small = (f32_bits((float)(int32_t)(mag & 7u) * 0x1p-9f) >> 13) - (112u << 10);
    const uint32_t is_small = 0u - (mag < 8u), is_zero = 0u - (mag == 0), is_nan = 0u - (mag == 0x7fu);
    return (((large & ~is_small) | (small & is_small & ~is_zero) | sign) & ~is_nan) | (0x7fffu & is_nan);
}

/* ---- writing ---- */
/* The magnitude of f32 bits u, rounded to a format with `digits` mantissa bits whose smallest
 * normal exponent is 2^low: exponent and mantissa in that format, not yet limited to its largest.
 * The caller handles NaN and infinity. Works at the position of the result's lowest mantissa bit:
 * the bits below are the remainder. */
static inline uint32_t small_round(uint32_t u, int digits, int low, enum rounding mode)
{
    uint32_t mag = u & 0x7fffffffu, negative = u >> 31, e = mag >> 23;
    uint32_t least = (uint32_t)(low + 127), drop = (uint32_t)(23 - digits);
    bool normal = e >= least;
    uint32_t m = normal ? mag - ((least - 1) << 23) : e ? (mag & 0x7fffffu) | 0x800000u : mag;
    uint32_t shift = normal ? drop : drop + least - (e ? e : 1);
    shift = shift > 31 ? 31 : shift;
    uint32_t q = m >> shift, rest = m & ((1u << shift) - 1), half = shift ? 1u << (shift - 1) : 0;
    bool up;
    switch (mode) {
    case ROUND_RN: up = rest > half || (rest == half && rest && (q & 1)); break;
    case ROUND_RNA: up = rest >= half && rest; break;
    case ROUND_RM: up = negative && rest; break;
    case ROUND_RP: up = !negative && rest; break;
    default: up = false;
    }
    return q + (up ? 1 : 0);
}

/* What a magnitude beyond the largest number becomes: infinity (true) or the largest. */
static inline bool rounds_to_infinity(enum rounding mode, bool negative)
{
    return mode == ROUND_RN || mode == ROUND_RNA || (mode == ROUND_RM && negative) || (mode == ROUND_RP && !negative);
}

static inline uint32_t f32_to_f16(float x, enum rounding mode)
{
    uint32_t u = f32_bits(x), mag = u & 0x7fffffffu, sign = u >> 31;
    uint32_t q = small_round(u, 10, -14, mode);
    uint32_t most = mag == 0x7f800000u || rounds_to_infinity(mode, sign) ? 0x7c00u : 0x7bffu;
    q = q >= 0x7c00u ? most : q;
    return mag > 0x7f800000u ? F16_NAN : q | sign << 15;
}
static inline uint32_t f32_to_bf16(float x, enum rounding mode)
{
    uint32_t u = f32_bits(x), mag = u & 0x7fffffffu, sign = u >> 31;
    uint32_t q = small_round(u, 7, -126, mode);
    uint32_t most = mag == 0x7f800000u || rounds_to_infinity(mode, sign) ? 0x7f80u : 0x7f7fu;
    q = q >= 0x7f80u ? most : q;
    return mag > 0x7f800000u ? BF16_NAN : q | sign << 15;
}
static inline uint32_t f32_to_tf32(float x, enum rounding mode)
{
    uint32_t u = f32_bits(x), mag = u & 0x7fffffffu, sign = u >> 31;
    uint32_t q = small_round(u, 10, -126, mode) << 13;
    uint32_t most = mag == 0x7f800000u || rounds_to_infinity(mode, sign) ? 0x7f800000u : 0x7f7fe000u;
    q = q >= 0x7f800000u ? most : q;
    return mag > 0x7f800000u ? F32_NAN : q | sign << 31;
}
/* The 8-bit formats are only written with .rn.satfinite: infinity and values that are too large
 * become the largest number. */
static inline uint32_t f32_to_e4m3(float x)
{
    uint32_t u = f32_bits(x), mag = u & 0x7fffffffu, sign = u >> 31;
    uint32_t q = small_round(u, 3, -6, ROUND_RN);
    q = q > 0x7eu ? 0x7eu : q;
    return mag > 0x7f800000u ? 0x7fu : q | sign << 7;
}
static inline uint32_t f32_to_e5m2(float x)
{
    uint32_t u = f32_bits(x), mag = u & 0x7fffffffu, sign = u >> 31;
    uint32_t q = small_round(u, 2, -14, ROUND_RN);
    q = q > 0x7bu ? 0x7bu : q;
    return mag > 0x7f800000u ? 0x7fu : q | sign << 7;
}

#endif
