/* exact64.h: double-precision arithmetic rounded in any direction, in integers.
 *
 * The host rounds to nearest, and C compilers do not reliably honour another direction. So the rare
 * forms (add.rz.f64, div.rp.f64 ...) are computed here, one lane at a time: split the numbers into
 * integer significand and exponent, compute exactly (or with a sticky lowest bit that stands for
 * everything dropped), and round once in f64_pack. Any NaN may come out; the caller picks the one
 * that PTX defines.
 *
 * Numbers of ordinary size need less, where the host has a fused multiply-add: what the host's
 * rounding left out is a double itself, and its sign tells whether the next number towards or away
 * from zero is the right one. These functions have no branches, so that loops over them vectorise.
 */
#ifndef SIM_EXACT64_H
#define SIM_EXACT64_H

#include "half.h"
#include <math.h>

typedef struct wide {
    uint64_t hi, lo;
} wide; /* a 128-bit unsigned integer */

static inline wide wide_left(wide v, int n)
{
    if (n == 0) return v;
    if (n >= 64) return (wide){n >= 128 ? 0 : v.lo << (n - 64), 0};
    return (wide){v.hi << n | v.lo >> (64 - n), v.lo << n};
}
/* Shifted right; the lowest bit is set when any one bit was lost. */
static inline wide wide_right_sticky(wide v, int n)
{
    if (n == 0) return v;
    if (n >= 128) return (wide){0, (v.hi | v.lo) != 0};
    wide r = n >= 64 ? (wide){0, n == 64 ? v.hi : v.hi >> (n - 64)} : (wide){v.hi >> n, v.hi << (64 - n) | v.lo >> n};
    wide back = wide_left(r, n);
    r.lo |= back.hi != v.hi || back.lo != v.lo;
    return r;
}
static inline bool wide_less(wide a, wide b) { return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo; }
static inline wide wide_add(wide a, wide b)
{
    uint64_t lo = a.lo + b.lo;
    return (wide){a.hi + b.hi + (lo < a.lo), lo};
}
static inline wide wide_sub(wide a, wide b) { return (wide){a.hi - b.hi - (a.lo < b.lo), a.lo - b.lo}; }
static inline wide wide_mul(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    uint64_t mid = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10;
    return (wide){p11 + (p01 >> 32) + (p10 >> 32) + (mid >> 32), mid << 32 | (uint32_t)p00};
}
static inline int top_bit(uint64_t v)
{
    int n = 0;
    for (int s = 32; s; s >>= 1)
        if (v >> s) v >>= s, n += s;
    return n;
}
static inline int wide_top(wide v) { return v.hi ? 64 + top_bit(v.hi) : top_bit(v.lo); }

/* v * 2^e, rounded once. v is not 0. */
static inline double f64_pack(bool negative, wide v, int e, enum rounding mode)
{
    int shift = wide_top(v) - 52;             /* leaves 53 bits */
    if (shift + e < -1074) shift = -1074 - e; /* subnormal: the lowest bit is 2^-1074 */
    uint64_t sign = negative ? UINT64_C(1) << 63 : 0, q;
    if (shift <= 0) {
        q = wide_left(v, -shift).lo;
    } else {
        wide r = shift == 1 ? wide_left(v, 1) : wide_right_sticky(v, shift - 2);
        q = r.lo >> 2;
        unsigned rest = r.lo & 3; /* one half, and a bit for anything less */
        if (mode == ROUND_RN) q += rest == 3 || (rest == 2 && (q & 1));
        else if (mode == ROUND_RNA) q += rest >= 2;
        else if (mode == ROUND_RM) q += rest && negative;
        else if (mode == ROUND_RP) q += rest && !negative;
    }
    if (!q) return bits_f64(sign);
    int biased = e + shift + 1075; /* of 2^52, the hidden bit; a carry to 2^53 raises it */
    if (biased > 2046 || (biased == 2046 && q >> 53))
        return bits_f64(
            sign | (rounds_to_infinity(mode, negative) ? UINT64_C(0x7ff0000000000000) : UINT64_C(0x7fefffffffffffff)));
    return bits_f64(sign | (((uint64_t)(biased - 1) << 52) + q));
}

/* A finite number as m * 2^e. */
static inline uint64_t f64_take_apart(double x, int *e)
{
    uint64_t u = f64_bits(x), m = u & UINT64_C(0xfffffffffffff);
    int biased = (int)(u >> 52 & 0x7ff);
    *e = biased ? biased - 1075 : -1074;
    return biased ? m | UINT64_C(1) << 52 : m;
}
static inline bool f64_is_negative(double x) { return f64_bits(x) >> 63; }
static inline bool f64_is_finite(double x) { return (f64_bits(x) >> 52 & 0x7ff) != 0x7ff; }

/* The sign of an exact zero that came from adding numbers with these signs. */
static inline double f64_zero_sum(bool a, bool b, enum rounding mode)
{
    return (a && b) || (a != b && mode == ROUND_RM) ? -0.0 : 0.0;
}

static inline double f64_fma_exact(double a, double b, double c, enum rounding mode)
{
    if (!f64_is_finite(a) || !f64_is_finite(b)) return a * b + c;
    if (!f64_is_finite(c)) return c;
    bool pn = f64_is_negative(a) != f64_is_negative(b), cn = f64_is_negative(c);
    int ea, eb, ce;
    uint64_t am = f64_take_apart(a, &ea), bm = f64_take_apart(b, &eb), cm = f64_take_apart(c, &ce);
    if (!am || !bm) return cm ? c : f64_zero_sum(pn, cn, mode);
    wide p = wide_mul(am, bm), s = {0, cm};
    int pe = ea + eb;
    if (!cm) return f64_pack(pn, p, pe, mode);
    /* both with their top bit at 126: room for a carry above, and at least 20 bits below for the
     * sticky one */
    int up = 126 - wide_top(p);
    p = wide_left(p, up), pe -= up;
    up = 126 - wide_top(s);
    s = wide_left(s, up), ce -= up;
    int e = pe > ce ? pe : ce;
    p = wide_right_sticky(p, e - pe), s = wide_right_sticky(s, e - ce);
    if (pn == cn) return f64_pack(pn, wide_add(p, s), e, mode);
    if (p.hi == s.hi && p.lo == s.lo) return f64_zero_sum(pn, cn, mode);
    return wide_less(p, s) ? f64_pack(cn, wide_sub(s, p), e, mode) : f64_pack(pn, wide_sub(p, s), e, mode);
}
static inline double f64_add_exact(double a, double b, enum rounding mode) { return f64_fma_exact(a, 1.0, b, mode); }
static inline double f64_mul_exact(double a, double b, enum rounding mode)
{
    return f64_fma_exact(a, b, f64_is_negative(a) != f64_is_negative(b) ? -0.0 : 0.0, mode);
}
static inline double f64_div_exact(double a, double b, enum rounding mode)
{
    int ea, eb;
    uint64_t m = f64_take_apart(a, &ea), n = f64_take_apart(b, &eb);
    if (!f64_is_finite(a) || !f64_is_finite(b) || !m || !n) return a / b;
    int up = 62 - top_bit(m);
    m <<= up, ea -= up;
    up = 62 - top_bit(n);
    n <<= up, eb -= up;
    uint64_t q = 0, rest = m; /* m and n have the same top bit, so q gets 62 or 63 bits */
    for (int i = 0; i < 63; i++) {
        q <<= 1;
        if (rest >= n) rest -= n, q |= 1;
        rest <<= 1;
    }
    return f64_pack(f64_is_negative(a) != f64_is_negative(b), (wide){q, rest != 0}, ea - eb - 62 - 64, mode);
}
/* ---- numbers of ordinary size ---- */
/* What is true or false here is all ones or 0, in 64 bits: only then do loops over it vectorise. */
#define F64_IF(condition) ((condition) ? UINT64_MAX : 0)
#define F64_SMALL         0x1p-900
#define F64_LARGE         0x1p1000

/* A number rounded to nearest; `left` has the sign of what that left out. */
typedef struct near64 {
    double to, left;
    uint64_t negative_zero; /* rounding down, an exact zero is -0 */
    uint64_t fine;          /* all of this holds: nothing is infinite, NaN or too small */
} near64;

static inline uint64_t f64_not_large(double x) { return F64_IF(fabs(x) <= F64_LARGE); }
static inline uint64_t f64_ordinary(double x) { return F64_IF(fabs(x) >= F64_SMALL) & f64_not_large(x); }
static inline uint64_t f64_zero_below(double r, uint64_t signs) { return F64_IF(r == 0) & (0 - (signs >> 63)); }

/* What a + b rounded to r left out (Knuth). */
static inline double f64_sum_left(double a, double b, double r)
{
    const double b_part = r - a, a_part = r - b_part;
    return (a - a_part) + (b - b_part);
}

static inline near64 near_add(double a, double b)
{
    const double r = a + b;
    return (near64){r, f64_sum_left(a, b, r), f64_zero_below(r, f64_bits(a) ^ f64_bits(b)),
                    f64_not_large(a) & f64_not_large(b)};
}
static inline near64 near_mul(double a, double b)
{
    const double r = a * b;
    return (near64){r, fma(a, b, -r), 0,
                    f64_not_large(r) & (F64_IF(fabs(r) >= F64_SMALL) | F64_IF(a == 0) | F64_IF(b == 0))};
}
static inline near64 near_div(double a, double b)
{
    const double r = a / b, rest = fma(-r, b, a);
    return (near64){r, bits_f64(f64_bits(rest) ^ (f64_bits(b) & UINT64_C(1) << 63)), 0,
                    f64_ordinary(b) & ((f64_ordinary(a) & f64_ordinary(r)) | F64_IF(a == 0))};
}
/* Boldo and Muller: what is left out is the sum of two doubles. */
static inline near64 near_fma(double a, double b, double c)
{
    const double r = fma(a, b, c), high = a * b, low = fma(a, b, -high);
    const double sum = c + low, sum_left = f64_sum_left(c, low, sum);
    const double all = high + sum, all_left = f64_sum_left(high, sum, all);
    return (near64){r, ((all - r) + all_left) + sum_left, f64_zero_below(r, f64_bits(a) ^ f64_bits(b) ^ f64_bits(c)),
                    near_mul(a, b).fine & f64_not_large(c) & f64_not_large(r)};
}

/* How far to go towards zero, or away from it, when something lies there: 1 or 0, for numbers above
 * zero and below. */
typedef struct steps64 {
    uint64_t inward[2], outward[2], down;
} steps64;
static inline steps64 steps_of(enum rounding mode)
{
    const bool down = mode == ROUND_RM, up = mode == ROUND_RP;
    return (steps64){{!up, !down}, {up, down}, F64_IF(down)};
}
static inline double near_round(near64 n, const steps64 *s)
{
    const uint64_t is = f64_bits(n.to), negative = 0 - (is >> 63), sign = UINT64_C(1) << 63;
    const uint64_t below = F64_IF(n.left < 0), above = F64_IF(n.left > 0);
    const uint64_t in = ((below & s->inward[0]) & ~negative) | ((above & s->inward[1]) & negative),
                   out = ((above & s->outward[0]) & ~negative) | ((below & s->outward[1]) & negative);
    const uint64_t zero = n.negative_zero & s->down;
    return bits_f64(((is - in + out) & ~zero) | (zero & sign));
}

/* The host's root is right to nearest; its exact square tells on which side the true root lies. */
static inline double f64_sqrt_exact(double a, enum rounding mode)
{
    double r = sqrt(a);
    if (mode == ROUND_RN || !(a > 0) || !f64_is_finite(a)) return r;
    int ea, er;
    uint64_t m = f64_take_apart(a, &ea), rm = f64_take_apart(r, &er);
    wide square = wide_mul(rm, rm), want = wide_left((wide){0, m}, ea - 2 * er);
    if (wide_less(want, square)) return mode == ROUND_RP ? r : bits_f64(f64_bits(r) - 1);
    if (wide_less(square, want)) return mode == ROUND_RP ? bits_f64(f64_bits(r) + 1) : r;
    return r;
}

#endif
