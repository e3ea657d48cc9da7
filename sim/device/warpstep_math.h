/* warpstep_math.h: the mathematical functions, our own, in float and double.
 *
 * Each algorithm is written once, as a template over the type; `real<T>` (warpstep_real.h) holds the
 * differences. A `pair` has twice the precision, where a result would lose it otherwise. Additions
 * and multiplications that must not be fused are written add and mul. The C names are in
 * warpstep_names.h.
 *
 * Largest errors in units of the last place, checked by tests/try/math.sh (measured over random
 * numbers of every size and all corner cases; the functions of one instruction, like floor or fmin,
 * are exact):
 *
 *                 float double                  float double                  float double
 *     sqrt          0.5   0.5      exp            1     1       sin, cos        1     1
 *     rsqrt         2     1.5      exp2, exp10    1     1       tan             2     2
 *     cbrt          1     1        expm1          2     2       asin, acos      1     1
 *     hypot         1     1        log, log1p     1     1       atan            2     2
 *     fma           0.5   0.5      log2, log10    1     1       atan2           2.5   2.5
 *     fmod          exact exact    pow            1     1       tanh            2     2
 *     erf           1.5   1.5      sinh, cosh     2     2       asinh ... atanh 2     2
 *     erfc, normcdf 4     4        sinpi, cospi   1     1       remainder       exact exact
 *     rcbrt         2     2        rhypot         2     2       norm3d          2     2
 *
 * Subnormal numbers, infinities and NaN are as C requires. There are no errno and no floating-point
 * flags.
 */
#ifndef WARPSTEP_MATH_H
#define WARPSTEP_MATH_H
#include "warpstep_real.h"

namespace __ws {

/* ---- exponentials ---- */
/* e^(r + lo) 2^n for small r and much smaller lo. */
template <class T> __WS_FN T exp_parts(T r, T lo, int n)
{
    T t = fma(mul(r, r), real<T>::exp(r), lo);
    return scale(add((T)1, add(r, t)), n);
}
template <class T> __WS_FN T exp(T x)
{
    typedef real<T> R;
    if (!(x < R::exp_over)) return x + (x > 0 ? R::inf : 0); /* and NaN */
    if (x < R::exp_under) return 0;
    T n = rint(x * R::log2e_hi);
    T r = fma(n, -R::ln2_1, x); /* exact */
    pair<T> p = product(n, -R::ln2_2);
    pair<T> s = sum(r, p.hi);
    return exp_parts(s.hi, add(s.lo, p.lo), (int)n);
}
template <class T> __WS_FN T exp2(T x)
{
    typedef real<T> R;
    if (!(x < R::exp2_over)) return x + (x > 0 ? R::inf : 0);
    if (x < R::exp2_under) return 0;
    T n = rint(x), f = add(x, -n);
    T r = mul(f, R::ln2_hi);
    return exp_parts(r, fma(f, R::ln2_hi, -r) + f * R::ln2_lo, (int)n);
}
template <class T> __WS_FN T exp10(T x)
{
    typedef real<T> R;
    if (!(x < R::exp10_over)) return x + (x > 0 ? R::inf : 0);
    if (x < R::exp10_under) return 0;
    T n = rint(x * R::log2_10);
    T f = fma(n, -R::lg2_hi, x); /* exact */
    pair<T> p = product(n, -R::lg2_lo);
    pair<T> s = sum(f, p.hi);
    T r = mul(s.hi, R::ln10_hi);
    T lo = fma(s.hi, R::ln10_hi, -r) + s.hi * R::ln10_lo + (s.lo + p.lo) * R::ln10_hi;
    return exp_parts(r, lo, (int)n);
}
template <class T> __WS_FN T expm1(T x)
{
    typedef real<T> R;
    if (!(x < R::exp_over)) return x + (x > 0 ? R::inf : 0);
    if (x < -(R::mantissa + 3) * (T)0.7) return -1;
    T n = rint(x * R::log2e_hi);
    T r = fma(n, -R::ln2_1, x);
    r = fma(n, -R::ln2_2, r);
    T t = fma(r * r, R::exp(r), r); /* e^r - 1 */
    if (n == 0) return abs(x) < (T)1e-30 ? x : t;
    if (n > R::mantissa + 2) return scale(t + 1, (int)n);
    T p = power_of_two<T>((int)n);
    return fma(t, p, p - 1);
}

/* ---- logarithms ---- */
/* log(1 + f) and more for f = m - 1: with s = f / (2 + f) it is 2 s + s z (2/3 + z q(z)), z = s s. */
template <class T> __WS_FN T log_parts(T f, T tail, int e)
{
    typedef real<T> R;
    T s = f / (2 + f), z = s * s, half = (T)0.5 * f * f;
    T rest = z * fma(z, R::log(z), R::third_hi);
    T n = (T)e;
    return fma(n, R::ln2_1, f - (half - (fma(s, half + rest, fma(n, R::ln2_2, tail)))));
}
/* The logarithm of what is not a positive finite number: 0, negative numbers, infinity, NaN. */
template <class T> __WS_FN bool log_special(T x, T *result)
{
    typedef real<T> R;
    if (x > 0 && x < R::inf) return false;
    *result = x == 0 ? -R::inf : x < 0 ? R::nan : x;
    return true;
}
template <class T> __WS_FN T log(T x)
{
    T special;
    int e;
    if (log_special(x, &special)) return special;
    T m = take_apart(x, &e);
    return log_parts(m - 1, (T)0, e);
}
template <class T> __WS_FN T log1p(T x)
{
    T special;
    int e;
    if (x == 0) return x;
    if (log_special(1 + x, &special)) return special;
    pair<T> u = sum((T)1, x);
    T m = take_apart(u.hi, &e);
    return e == 0 && abs(x) < (T)0.29 ? log_parts(x, (T)0, 0) : log_parts(m - 1, u.lo / u.hi, e);
}
/* log m of m in [sqrt 1/2, sqrt 2) as a pair. */
template <class T> __WS_FN pair<T> log_pair(T m)
{
    typedef real<T> R;
    T f = m - 1; /* exact */
    pair<T> d = sum((T)2, f);
    T s = f / d.hi;
    T left = fma(-s, d.hi, f);
    pair<T> sp = fast_sum(s, (left - s * d.lo) / d.hi);
    pair<T> z = product(sp, sp);
    pair<T> t = product(z.hi, R::log(z.hi));
    pair<T> c = sum(pair<T>{R::third_hi, R::third_lo}, t);
    pair<T> rest = product(product(z, c), sp);
    return sum(pair<T>{2 * sp.hi, 2 * sp.lo}, rest);
}
template <class T> __WS_FN T log2(T x)
{
    typedef real<T> R;
    T special;
    int e;
    if (log_special(x, &special)) return special;
    pair<T> l = product(log_pair(take_apart(x, &e)), pair<T>{R::log2e_hi, R::log2e_lo});
    pair<T> s = sum((T)e, l.hi);
    return s.hi + (s.lo + l.lo);
}
template <class T> __WS_FN pair<T> log_whole(T x) /* of any positive finite x */
{
    typedef real<T> R;
    int e;
    pair<T> l = log_pair(take_apart(x, &e));
    T n = (T)e;
    pair<T> low = product(n, R::ln2_2);
    low.lo = fma(n, R::ln2_3, low.lo);
    return sum(sum(pair<T>{n * R::ln2_1, 0}, low), l);
}
template <class T> __WS_FN T log10(T x)
{
    typedef real<T> R;
    T special;
    if (log_special(x, &special)) return special;
    pair<T> l = product(log_whole(x), pair<T>{R::log10e_hi, R::log10e_lo});
    return l.hi + l.lo;
}
/* x^y for positive finite x and a finite y. */
template <class T> __WS_FN T pow_positive(T x, T y)
{
    typedef real<T> R;
    pair<T> l = log_whole(x);
    T p = mul(y, l.hi);
    if (!(p < R::exp_over)) return R::inf;
    if (p < R::exp_under) return 0;
    T low = fma(y, l.hi, -p) + y * l.lo;
    T n = rint(p * R::log2e_hi);
    T r = fma(n, -R::ln2_1, p);
    pair<T> q = product(n, -R::ln2_2);
    pair<T> s = sum(r, q.hi);
    s = sum(s.hi, s.lo + (low + q.lo - n * R::ln2_3));
    return exp_parts(s.hi, s.lo, (int)n);
}
template <class T> __WS_FN T pow(T x, T y)
{
    typedef real<T> R;
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    T a = abs(x), ay = abs(y);
    if (ay == R::inf) return a == 1 ? (T)1 : (a > 1) == (y > 0) ? R::inf : (T)0;
    bool is_whole = trunc(ay) == ay;
    bool is_odd = is_whole && ay < R::split && (trunc(ay * (T)0.5) * 2 != ay);
    T result;
    if (a == 0 || a == R::inf)
        result = (a == 0) == (y < 0) ? R::inf : (T)0;
    else if (x < 0 && !is_whole)
        return R::nan;
    else
        result = ay > R::huge ? (a == 1 ? (T)1 : (a > 1) == (y > 0) ? R::inf : (T)0) : pow_positive(a, y);
    return is_odd && bits_of(x) >> (sizeof(T) * 8 - 1) ? -result : result;
}

/* ---- trigonometry ---- */
/* 2/pi in 64-bit pieces, with a zero in front, for arguments so large that every bit counts. */
static __device__ const unsigned long long two_over_pi_bits[21] = {
    0,
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull,
};
/* x = quadrant pi/2 + (hi + lo) for large |x|: the product of its whole mantissa m with 2/pi. Only
 * the 192 bits after those of weight 4 and more (whole turns) are taken, so the binary point of the
 * product is 2 bits below its top. */
template <class T> static __attribute__((noinline, nodebug)) __device__ pair<T> reduce_large(T x, int *quadrant)
{
    typedef real<T> R;
    typedef unsigned long long u64;
    u64 m = (u64)(bits_of(abs(x)) & (((typename R::bits)1 << R::mantissa) - 1)) | (u64)1 << R::mantissa;
    int e = (int)(bits_of(abs(x)) >> R::mantissa) - R::bias - R::mantissa; /* |x| = m 2^e */
    int skip = 64 + e - 2, word = skip >> 6, shift = skip & 63;
    u64 w[3];
    for (int i = 0; i < 3; i++)
        w[i] = shift ? two_over_pi_bits[word + i] << shift | two_over_pi_bits[word + i + 1] >> (64 - shift)
                     : two_over_pi_bits[word + i];
    u64 p2 = m * w[2], p1 = m * w[1], p0 = m * w[0], c1 = __umul64hi(m, w[2]), c0 = __umul64hi(m, w[1]);
    p1 += c1;
    p0 += c0 + (p1 < c1);
    u64 q = p0 >> 62, f1 = p0 << 2 | p1 >> 62, f0 = p1 << 2 | p2 >> 62; /* quadrant, fraction */
    bool is_upper = f1 >> 63; /* a fraction over one half: the next quadrant, a negative rest */
    q += is_upper;
    if (is_upper) f1 = ~f1, f0 = ~f0;
    if (f1 == 0) f1 = 1; /* never for a finite argument; keeps the count of zeros defined */
    int zeros = __clzll((long long)f1);
    if (zeros) f1 = f1 << zeros | f0 >> (64 - zeros);
    /* f1 2^(-64 - zeros) as a pair, times pi/2 */
    u64 top = f1 >> (63 - R::mantissa) << (63 - R::mantissa);
    T unit = (T)0x1p-64 * power_of_two<T>(-zeros);
    pair<T> f = {(T)top * unit, (T)(f1 - top) * unit};
    pair<T> r = product(f, pair<T>{R::pio2_1, R::pio2_2});
    bool is_negative = is_upper != (x < 0);
    *quadrant = (int)(x < 0 ? 0 - q : q) & 3;
    return is_negative ? pair<T>{-r.hi, -r.lo} : r;
}
template <class T> __WS_FN pair<T> reduce(T x, int *quadrant)
{
    typedef real<T> R;
    if (!(abs(x) < R::reduce_fast)) return reduce_large(x, quadrant);
    T n = rint(x * R::two_over_pi);
    *quadrant = (int)n & 3;
    pair<T> p = product(n, R::pio2_1), q = product(n, R::pio2_2);
    pair<T> s = sum(add(x, -p.hi), -p.lo); /* the subtraction is exact */
    pair<T> t = sum(s.hi, -q.hi);
    return fast_sum(t.hi, add(t.lo, add(s.lo, -fma(n, R::pio2_3, q.lo))));
}
/* sin and cos of hi + lo in [-pi/4, pi/4] */
template <class T> __WS_FN T sin_part(pair<T> r)
{
    T z = r.hi * r.hi;
    return add(r.hi, fma(z * r.hi, real<T>::sin(z), r.lo * fma(z, (T)-0.5, (T)1)));
}
template <class T> __WS_FN T cos_part(pair<T> r)
{
    T z = mul(r.hi, r.hi), half = (T)0.5 * z, w = add((T)1, -half);
    return add(w, add(add((T)1, -w), -half) + fma(z * z, real<T>::cos(z), -(r.hi * r.lo)));
}
template <class T> __WS_FN void sincos(T x, T *s, T *c)
{
    if (!(abs(x) < real<T>::inf)) {
        *s = *c = real<T>::nan;
        return;
    }
    int q;
    pair<T> r = reduce(x, &q);
    T a = sin_part(r), b = cos_part(r);
    if (q & 1) {
        T t = a;
        a = b, b = -t;
    }
    *s = x == 0 ? x : q & 2 ? -a : a;
    *c = q & 2 ? -b : b;
}
template <class T> __WS_FN T sin(T x)
{
    T s, c;
    sincos(x, &s, &c);
    return s;
}
template <class T> __WS_FN T cos(T x)
{
    T s, c;
    sincos(x, &s, &c);
    return c;
}
template <class T> __WS_FN T tan(T x)
{
    T s, c;
    sincos(x, &s, &c);
    return s / c;
}
template <class T> __WS_FN T atan_part(T x) /* of |x| <= tan(pi/8), but for x itself */
{
    T z = x * x;
    return x * z * real<T>::atan(z);
}
template <class T> __WS_FN T atan(T x)
{
    typedef real<T> R;
    T a = abs(x);
    if (x != x) return x;
    if (a <= (T)0.41421356) return a == 0 ? x : x + atan_part(x);
    bool is_middle = a < (T)2.4142135;
    T t = is_middle ? (a - 1) / (a + 1) : -1 / a;
    T base = is_middle ? R::pio2_1 * (T)0.5 : R::pio2_1, low = is_middle ? R::pio2_2 * (T)0.5 : R::pio2_2;
    return copysign(add(base, t + (atan_part(t) + low)), x);
}
template <class T> __WS_FN T atan2(T y, T x)
{
    typedef real<T> R;
    if (x != x || y != y) return x + y;
    T ax = abs(x), ay = abs(y), angle;
    bool is_left = bits_of(x) >> (sizeof(T) * 8 - 1);
    if (ay == 0)
        angle = 0;
    else if (ax == R::inf && ay == R::inf)
        angle = R::pio2_1 * (T)0.5;
    else
        angle = atan(ay / ax); /* ay / 0 is infinite */
    if (is_left) angle = 2 * R::pio2_1 - (angle - 2 * R::pio2_2);
    return copysign(angle, y);
}
/* asin of |x| > 1/2 is pi/2 - 2 asin sqrt((1 - |x|) / 2); the square root is a pair here. */
template <class T> __WS_FN pair<T> asin_root(T a, T *tail)
{
    T w = (1 - a) * (T)0.5, s = sqrt(w);
    *tail = s * w * real<T>::asin(w);
    return {s, s > 0 ? fma(-s, s, w) / (2 * s) : (T)0};
}
template <class T> __WS_FN T asin(T x)
{
    typedef real<T> R;
    T a = abs(x), tail;
    if (!(a <= 1)) return R::nan;
    if (a < (T)0.5) return a == 0 ? x : fma(x * (x * x), R::asin(x * x), x);
    pair<T> s = asin_root(a, &tail);
    pair<T> r = sum(R::pio2_1, -2 * s.hi);
    return copysign(r.hi + (r.lo + (R::pio2_2 - 2 * (s.lo + tail))), x);
}
template <class T> __WS_FN T acos(T x)
{
    typedef real<T> R;
    T a = abs(x), tail;
    if (!(a <= 1)) return R::nan;
    if (a < (T)0.5) {
        pair<T> r = sum(R::pio2_1, -x);
        return r.hi + (r.lo + fma(-(x * (x * x)), R::asin(x * x), R::pio2_2));
    }
    pair<T> s = asin_root(a, &tail);
    if (x > 0) return 2 * (s.hi + (s.lo + tail));
    pair<T> r = sum(2 * R::pio2_1, -2 * s.hi);
    return r.hi + (r.lo + (2 * R::pio2_2 - 2 * (s.lo + tail)));
}

/* ---- hyperbolic functions, roots and the rest ---- */
/* e^|x| / 2 without overflow where the result has none. */
template <class T> __WS_FN T half_exp(T a)
{
    return a > real<T>::exp_over - 2 ? exp(a - 1) * (T)1.3591409142295226 : exp(a) * (T)0.5;
}
template <class T> __WS_FN T sinh(T x)
{
    T a = abs(x), z = x * x;
    if (a < 1) return a == 0 ? x : fma(x * z, real<T>::sinh(z), x);
    T e = half_exp(a);
    return copysign(e - (T)0.25 / e, x);
}
template <class T> __WS_FN T cosh(T x)
{
    T e = half_exp(abs(x));
    return e + (T)0.25 / e;
}
template <class T> __WS_FN T tanh(T x)
{
    T a = abs(x), z = x * x;
    if (x != x) return x;
    if (a < (T)0.55) return a == 0 ? x : fma(x * z, real<T>::tanh(z), x);
    return copysign(a > 20 ? (T)1 : 1 - 2 / (exp(2 * a) + 1), x);
}
/* Through log1p, with arguments that lose nothing near 0 and 1. */
template <class T> __WS_FN T asinh(T x)
{
    T a = abs(x), square = a * a;
    if (!(a < real<T>::inf)) return x;
    return copysign(a > (T)0x1p28 ? log(a) + (T)0.69314718055994531 : log1p(a + square / (1 + sqrt(1 + square))), x);
}
template <class T> __WS_FN T acosh(T x)
{
    T t = x - 1;
    if (!(x >= 1)) return real<T>::nan;
    return x > (T)0x1p28 ? log(x) + (T)0.69314718055994531 : log1p(t + sqrt(t * (2 + t)));
}
template <class T> __WS_FN T atanh(T x)
{
    T a = abs(x);
    if (!(a <= 1)) return real<T>::nan;
    return copysign((T)0.5 * log1p(2 * a / (1 - a)), x);
}
template <class T> __WS_FN T erf(T x)
{
    typedef real<T> R;
    T a = abs(x);
    if (x != x) return x;
    if (a < 1) return fma(x, R::erf(x * x), x);
    return copysign(a >= R::erf_end ? (T)1 : 1 - exp(R::erf_tail(a)), x);
}
template <class T> __WS_FN T cbrt(T x)
{
    typedef real<T> R;
    T a = abs(x), back = 1;
    if (x == 0 || !(a < R::inf)) return x;
    if (a < R::tiny) a *= R::split, back = sizeof(T) == 4 ? (T)0x1p-8 : (T)0x1p-18; /* their cubes are 1 / split */
    if (a > R::huge) a *= 1 / R::split, back = sizeof(T) == 4 ? (T)0x1p8 : (T)0x1p18;
    /* A third of the exponent to start, within 6 %. Halley triples the digits; the last step has an
     * exact remainder.
     */
    T y = from_bits<T>(bits_of(a) / 3 + ((typename R::bits)R::bias << R::mantissa) / 3 * 2);
    for (int i = 0; i < (sizeof(T) == 4 ? 2 : 3); i++) {
        T c = y * y * y;
        y *= (c + 2 * a) / (2 * c + a);
    }
    pair<T> square = product(y, y);
    T left = fma(square.lo, y, fma(square.hi, y, -a));
    y = add(y, -left / (3 * square.hi)); /* to the y that was cubed, not to its unrounded product */
    return copysign(y * back, x);
}
/* In units of a power of two, which keeps the squares from overflow and underflow. */
template <class T> __WS_FN T hypot(T x, T y, T &unit)
{
    typedef real<T> R;
    T a = abs(x), b = abs(y);
    unit = 1;
    if (a == R::inf || b == R::inf) return R::inf;
    if (a < b) {
        T t = a;
        a = b, b = t;
    }
    const T up = sizeof(T) == 4 ? (T)0x1p100f : (T)0x1p600, limit = sizeof(T) == 4 ? (T)0x1p60f : (T)0x1p500;
    if (a > limit)
        unit = up;
    else if (a < 1 / limit)
        unit = 1 / up;
    if (unit != 1) a *= 1 / unit, b *= 1 / unit;
    pair<T> p = product(a, a), q = product(b, b), s = sum(p, q);
    T r = sqrt(s.hi);
    if (r > 0) r += (fma(-r, r, s.hi) + s.lo) / (2 * r);
    return r;
}
template <class T> __WS_FN T hypot(T x, T y)
{
    T unit, r = hypot(x, y, unit);
    return r * unit;
}
template <class T> __WS_FN T rhypot(T x, T y)
{
    T unit, r = hypot(x, y, unit);
    return 1 / r * (1 / unit);
}
template <class T> __WS_FN T fmod(T x, T y)
{
    typedef real<T> R;
    T a = abs(x), b = abs(y);
    if (!(a < R::inf) || !(b > 0)) return R::nan;
    if (a < b || b == R::inf || b != b) return b != b ? b : x;
    /* Subtracts multiples of b 2^k, each with a quotient of few enough bits that the remainder is
     * exact. */
    const T step = power_of_two<T>(R::mantissa - 2);
    while (a >= b) {
        T c = b;
        for (T next; (next = c * step) <= a;) c = next;
        T r = fma(-trunc(a / c), c, a);
        a = r < 0 ? r + c : r;
    }
    return copysign(a, x);
}

/* ---- the complementary error function, sines of multiples of pi, remainders ---- */
/* e^(x^2) erfc(x) (1 + 2x) as a polynomial of (x - k) / (x + k). */
__WS_FN float erfcx_part(float x)
{
    return horner((x - 2) / (x + 2),
                  1.27697838f, -0.0927638043f, -0.166030381f, 0.164050289f, -0.0542202708f,
                  -0.00802153369f, 0.00872393448f, 0.0012061354f, -0.00145771532f,
                  -0.000299808113f, 0.000201720283f);
}
__WS_FN double erfcx_part(double x)
{
    return horner((x - 4) / (x + 4),
                  0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd691p-7,
                  0x1.16ecefcfa52cap-4, -0x1.9ddb23c3e8687p-4, 0x1.7fee004e14779p-4,
                  -0x1.0fb06dfe5afefp-4, 0x1.3079edf62c5b1p-5, -0x1.096238812f4b2p-6,
                  0x1.49c672a4d4529p-8, -0x1.8d4a9ddd5c21dp-11, -0x1.a1df4054d7042p-13,
                  0x1.3be08d4bce083p-13, -0x1.9955721449d76p-16, -0x1.7894cc9f0b177p-17,
                  0x1.7efae8ef61153p-18, 0x1.3db6bcb368476p-22, -0x1.b8442da3eff4fp-21,
                  0x1.3483f45b8aa60p-24, 0x1.bd85b5cb25e24p-24, -0x1.0f5171cc12d39p-26,
                  -0x1.5198b756189ecp-27, 0x1.3ac1519f7ba1dp-30);
}
/* erfc(x + lo) for a much smaller lo. */
template <class T> __WS_FN T erfc_pair(T x, T lo)
{
    typedef real<T> R;
    T a = abs(x);
    if (x != x) return x;
    if (a < (T)0.5) return (T)1 - (fma(x, R::erf(x * x), x) + lo);
    if (a > (sizeof(T) == 4 ? (T)10.1 : (T)27.3)) return x > 0 ? (T)0 : (T)2;
    pair<T> q = product(a, a);
    T low = -(q.lo + 2 * x * lo), n = rint(-q.hi * R::log2e_hi);
    pair<T> p = product(n, -R::ln2_2), s = sum(fma(n, -R::ln2_1, -q.hi), p.hi);
    const int lift = 64; /* the product below must not be subnormal before its last step */
    s = sum(s.hi, add(add(s.lo, p.lo), low));
    T e = exp_parts(s.hi, s.lo, (int)n + lift);
    T r = e * (erfcx_part(a) / (1 + 2 * a)) * power_of_two<T>(-lift);
    return x > 0 ? r : (T)2 - r;
}
template <class T> __WS_FN T erfc(T x) { return erfc_pair(x, (T)0); }
template <class T> __WS_FN T normcdf(T x)
{
    const T half_hi = (T)0.70710678118654752, half_lo = sizeof(T) == 4 ? (T)1.21016175e-8 : (T)-4.8336466567264567e-17;
    if (abs(x) > 50) return x > 0 ? (T)1 : (T)0;
    T h = mul(-x, half_hi);
    return (T)0.5 * erfc_pair(h, fma(-x, half_hi, -h) - x * half_lo);
}
template <class T> __WS_FN void sincospi(T x, T *s, T *c)
{
    typedef real<T> R;
    if (!(abs(x) < R::inf)) {
        *s = *c = R::nan;
        return;
    }
    T n = rint(2 * fmod(x, (T)2)), f = fma(n, (T)-0.5, fmod(x, (T)2));
    int quadrant = (int)n;
    pair<T> r = product(f, 2 * R::pio2_1);
    r = fast_sum(r.hi, fma(f, 2 * R::pio2_2, r.lo));
    T sine = f == 0 ? (T)0 : sin_part(r), cosine = cos_part(r);
    *s = quadrant & 1 ? cosine : sine;
    *c = quadrant & 1 ? sine : cosine;
    if (quadrant & 2) *s = -*s;
    if ((quadrant + 1) & 2) *c = -*c;
    if (*s == 0) *s = copysign((T)0, x); /* whole numbers: sign of x; odd quarters: plus */
    if (*c == 0) *c = 0;
}
template <class T> __WS_FN T remainder(T x, T y)
{
    typedef real<T> R;
    T a = abs(x), b = abs(y);
    if (!(a < R::inf) || !(b > 0)) return R::nan;
    if (b == R::inf) return x;
    T most = sizeof(T) == 4 ? (T)0x1.fffffep127f : (T)0x1.fffffffffffffp1023;
    if (b <= most / 2) a = fmod(a, b + b);
    if (b < R::tiny * 2) {
        if (a + a > b) a = a - b;
        if (a >= 0 && a + a >= b && abs(x) != a) a = a - b;
    } else {
        T half = b * (T)0.5;
        if (a > half) {
            a = a - b;
            if (a >= half) a = a - b;
        }
    }
    return bits_of(x) >> (sizeof(T) * 8 - 1) ? -a : a;
}
template <class T> __WS_FN T nextafter(T x, T y)
{
    typedef typename real<T>::bits bits;
    const bits top = (bits)1 << (sizeof(T) * 8 - 1);
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return from_bits<T>((bits_of(y) & top) | 1);
    return from_bits<T>((x < y) == (x > 0) ? bits_of(x) + 1 : bits_of(x) - 1);
}
template <class T> __WS_FN T frexp(T x, int *e)
{
    typedef real<T> R;
    *e = 0;
    if (x == 0 || !(abs(x) < R::inf)) return x;
    int up = 0;
    if (abs(x) < R::tiny) x *= R::split, up = R::split_power;
    *e = (int)(bits_of(x) << 1 >> (R::mantissa + 1)) - R::bias + 1 - up;
    return from_bits<T>((bits_of(x) & ~((typename R::bits)(2 * R::bias + 1) << R::mantissa)) |
                        (typename R::bits)(R::bias - 1) << R::mantissa);
}

} // namespace __ws

#include "warpstep_names.h"
#endif
