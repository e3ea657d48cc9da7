/* warpstep_math.h: the mathematical functions, our own, in float and double.
 *
 * Each algorithm is written once, as a template over the type; `real<T>` holds what differs. C names stand at the end.
 * Polynomials were fitted by interpolation at Chebyshev nodes. A `pair` carries twice the precision where a result
 * would lose it otherwise. Additions and multiplications that must not be fused are written add and mul.
 *
 * Largest errors in units of the last place, held to by tests/try/math.sh (measured over random numbers of every
 * size and all corners; the functions of one instruction, like floor or fmin, are exact):
 *
 *                 float double                  float double                  float double
 *     sqrt          0.5   0.5      exp            1     1       sin, cos        1     1
 *     rsqrt         2     1.5      exp2, exp10    1     1       tan             2     2
 *     cbrt          1     1        expm1          2     2       asin, acos      1     1
 *     hypot         1     1        log, log1p     1     1       atan            2     2
 *     fma           0.5   0.5      log2, log10    1     1       atan2           2.5   2.5
 *     fmod          exact exact    pow            1     1       tanh            2     2
 *     erf           1.5   1.5      sinh, cosh     2     2       asinh ... atanh 2     2
 *
 * Subnormal numbers, infinities and NaN come out as C requires; errno and floating-point flags do not exist.
 */
#ifndef WARPSTEP_MATH_H
#define WARPSTEP_MATH_H

namespace __ws {

/* Compilers and ptxas may fuse a plain a * b + c; these never are. */
__WS_FN float mul(float a, float b) { return __fmul_rn(a, b); }
__WS_FN double mul(double a, double b) { return __dmul_rn(a, b); }
__WS_FN float add(float a, float b) { return __fadd_rn(a, b); }
__WS_FN double add(double a, double b) { return __dadd_rn(a, b); }
__WS_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__WS_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__WS_FN float abs(float a) { return __builtin_fabsf(a); }
__WS_FN double abs(double a) { return __builtin_fabs(a); }
__WS_FN float rint(float a) { return __builtin_rintf(a); }
__WS_FN double rint(double a) { return __builtin_rint(a); }
__WS_FN float trunc(float a) { return __builtin_truncf(a); }
__WS_FN double trunc(double a) { return __builtin_trunc(a); }
__WS_FN float sqrt(float a) { return __fsqrt_rn(a); }
__WS_FN double sqrt(double a) { return __dsqrt_rn(a); }
__WS_FN float copysign(float a, float b) { return __builtin_copysignf(a, b); }
__WS_FN double copysign(double a, double b) { return __builtin_copysign(a, b); }

/* c0 + x (c1 + x (c2 + ...)) */
template <class T> __WS_FN T horner(T, T c) { return c; }
template <class T, class... C> __WS_FN T horner(T x, T c, C... rest) { return fma(horner(x, rest...), x, c); }

template <class T> struct real;
template <> struct real<float> {
    typedef unsigned int bits;
    typedef int word;
    static constexpr int mantissa = 23, bias = 127;
    static constexpr float inf = __builtin_inff(), nan = __builtin_nanf(""), huge = 0x1p100f, tiny = 0x1p-126f;
    static constexpr int split_power = 24;
    static constexpr float split = 0x1p24f; /* lifts a subnormal number to a normal one */
    static constexpr float exp_over = 89.0f, exp_under = -104.0f, exp2_over = 129.0f, exp2_under = -151.0f,
                          exp10_over = 39.0f,
                           exp10_under = -46.0f, reduce_fast = 1e5f;
    /* ln 2, log10 2, pi/2 in parts; the first of ln 2 and log10 2 leave room for an exact product with an exponent */
    static constexpr float ln2_hi = 0x1.62e43p-1f, ln2_lo = -0x1.05c61p-29f, ln2_1 = 0x1.62e8p-1f,
                          ln2_2 = -0x1.e8082ep-16f, ln2_3 = -0x1.8432a2p-43f;
    static constexpr float lg2_hi = 0x1.344p-2f, lg2_lo = 0x1.3509f8p-18f;
    static constexpr float log2e_hi = 0x1.715476p+0f, log2e_lo = 0x1.4ae0cp-26f, log10e_hi = 0x1.bcb7b2p-2f,
                          log10e_lo = -0x1.5b235ep-27f;
    static constexpr float log2_10 = 0x1.a934fp+1f, ln10_hi = 0x1.26bb1cp+1f, ln10_lo = -0x1.12aabap-25f;
    static constexpr float pio2_1 = 0x1.921fb6p+0f, pio2_2 = -0x1.777a5cp-25f, pio2_3 = -0x1.ee59dap-50f,
                          two_over_pi = 0x1.45f306p-1f;
    static constexpr float third_hi = 0x1.555556p-1f, third_lo = -0x1.555556p-26f; /* of 2/3 */
    __WS_FN float exp(float r) { return horner(r, 0.5f, 0.166666672f, 0.041666463f, 0.00833331048f,
            0.00139336672f, 0.0001989101f); }
    __WS_FN float log(float z) { return horner(z, 0.400000155f, 0.285622299f, 0.230485216f); }
    __WS_FN float sin(float z) { return horner(z, -0.166666672f, 0.00833333191f, -0.000198400739f,
            2.72483658e-6f); }
    __WS_FN float cos(float z) { return horner(z, 0.0416666679f, -0.00138888881f, 2.48005908e-5f,
            -2.72996573e-7f); }
    __WS_FN float atan(float z) { return horner(z, -0.333333343f, 0.199999765f, -0.142841473f, 0.110712878f,
            -0.0862409845f, 0.050466489f); }
    __WS_FN float asin(float z) { return horner(z, 0.166666657f, 0.0750009492f, 0.0445993207f, 0.0311017279f,
            0.017143717f, 0.0337007269f); }
    __WS_FN float sinh(float z) { return horner(z, 0.166666672f, 0.00833333936f, 0.000198381022f,
            2.80628024e-6f); }
    __WS_FN float tanh(float z) { return horner(z, -0.333333343f, 0.133333236f, -0.0539646968f, 0.0218184032f,
            -0.00852614082f, 0.00252610911f); }
    __WS_FN float erf(float z)
    {
        return horner(z, 0.128379166f, -0.37612626f, 0.112835936f, -0.0268541686f, 0.00518899411f, -0.000801595626f,
                      7.8725825e-5f);
    }
    /* log(1 - erf x) from 1 on; beyond the end erf is 1 */
    static constexpr float erf_end = 3.95f;
    __WS_FN float erf_tail(float x)
    {
        return x < 2.2f ? horner(x - 1.599609375f, -3.74288321f, -3.68737721f, -0.900011837f, -0.0235487912f,
                                 0.00541210966f, -0.00114747137f, 0.000198956885f)
                        : horner(x - 3.07421875f, -11.1934967f, -6.4459877f, -0.959000766f, -0.00701989979f,
                                 0.00126512034f, -0.000236185733f, 4.08380292e-5f);
    }
};
template <> struct real<double> {
    typedef unsigned long long bits;
    typedef long long word;
    static constexpr int mantissa = 52, bias = 1023;
    static constexpr double inf = __builtin_inf(), nan = __builtin_nan(""), huge = 0x1p1000, tiny = 0x1p-1022;
    static constexpr int split_power = 54;
    static constexpr double split = 0x1p54;
    static constexpr double exp_over = 710.0, exp_under = -746.0, exp2_over = 1025.0, exp2_under = -1076.0,
                           exp10_over = 309.0,
                            exp10_under = -324.0, reduce_fast = 1e5;
    static constexpr double ln2_hi = 0x1.62e42fefa39efp-1, ln2_lo = 0x1.abc9e3b39803fp-56, ln2_1 = 0x1.62e42fefa4p-1,
                           ln2_2 = -0x1.8432a1b0e2634p-43,
                            ln2_3 = 0x1.f97b57a079a19p-103;
    static constexpr double lg2_hi = 0x1.34413509f8p-2, lg2_lo = -0x1.80433b83b532ap-44;
    static constexpr double log2e_hi = 0x1.71547652b82fep+0, log2e_lo = 0x1.777d0ffda0d24p-56,
                           log10e_hi = 0x1.bcb7b1526e50ep-2,
                            log10e_lo = 0x1.95355baaafad3p-57;
    static constexpr double log2_10 = 0x1.a934f0979a371p+1, ln10_hi = 0x1.26bb1bbb55516p+1,
                           ln10_lo = -0x1.f48ad494ea3e9p-53;
    static constexpr double pio2_1 = 0x1.921fb54442d18p+0, pio2_2 = 0x1.1a62633145c07p-54,
                           pio2_3 = -0x1.f1976b7ed8fbcp-110,
                            two_over_pi = 0x1.45f306dc9c883p-1;
    static constexpr double third_hi = 0x1.5555555555555p-1, third_lo = 0x1.5555555555555p-55;
    __WS_FN double exp(double r) { return horner(r, 0.5, 0.16666666666666666, 0.041666666666666678,
            0.0083333333333333332, 0.001388888888887906, 0.0001984126984126329, 2.4801587336481701e-5,
            2.7557319247245032e-6, 2.7557263236863376e-7, 2.5052071066149638e-8, 2.0918153355978567e-9,
            1.6086638366705033e-10); }
    __WS_FN double log(double z) { return horner(z, 0.40000000000000002, 0.28571428571429369,
            0.22222222221654733, 0.1818181833565416, 0.15384594934597917, 0.13334806212100603, 0.11706195689881364,
            0.11723603622905411); }
    __WS_FN double sin(double z) { return horner(z, -0.16666666666666666, 0.0083333333333333315,
            -0.00019841269841264941, 2.7557319219243677e-6, -2.5052106199361819e-8, 1.6058526388142101e-10,
            -7.5863895547052151e-13); }
    __WS_FN double cos(double z) { return horner(z, 0.041666666666666664, -0.0013888888888888887,
            2.4801587301584578e-5, -2.7557319221349731e-7, 2.0876755772685472e-9, -1.1470457979362018e-11,
            4.7457009022696263e-14); }
    __WS_FN double atan(double z) { return horner(z, -0.33333333333333331, 0.19999999999999804,
            -0.14285714285659457, 0.11111111105119366, -0.090909087517060755, 0.076922963231577851,
            -0.066664239543734127, 0.058789182929757273, -0.052303754575766692, 0.045512338448295678,
            -0.034561322968262309, 0.016275521683893419); }
    __WS_FN double asin(double z) { return horner(z, 0.16666666666666669, 0.074999999999984246,
            0.04464285714637338, 0.030381944137085216, 0.022372173002005596, 0.017352391265909227,
            0.013971235301124539, 0.011478952690257387, 0.010324318288744113, 0.0054508781877205502,
            0.017419357964884856, -0.014881409392818066, 0.02877844261259304); }
    __WS_FN double sinh(double z) { return horner(z, 0.16666666666666666, 0.0083333333333333332,
            0.00019841269841269773, 2.755731922404034e-6, 2.5052108364058039e-8, 1.6059048396350562e-10,
            7.6466253616566573e-13, 2.8445264169895285e-15); }
    __WS_FN double tanh(double z) { return horner(z, -0.33333333333333331, 0.13333333333333311,
            -0.053968253968220269, 0.021869488534068168, -0.0088632354629846876, 0.0035921267673025663,
            -0.0014558190700396025, 0.00058990512006748433, -0.00023847198564355907, 9.4549417589351518e-5,
            -3.3718010044053525e-5, 7.8725195848760264e-6); }
    __WS_FN double erf(double z)
    {
        return horner(z, 0.12837916709551259, -0.37612638903183754, 0.11283791670955121, -0.026866170645129826,
                      0.0052239776254231164, -0.00085483270219217737, 0.00012055332902288382,
                      -1.4925647549075886e-5, 1.6462045054724144e-6, -1.636463660480217e-7, 1.4792347499413907e-8,
                      -1.2164225654817864e-9, 8.707834948949949e-11, -4.2290117089891972e-12);
    }
    static constexpr double erf_end = 6.0;
    __WS_FN double erf_tail(double x)
    {
        return x < 2     ? horner(x - 1.5, -3.3844920895515527, -3.5088008017795276, -0.89264033061504433,
                                 -0.025824140633640053, 0.0060067463869316372, -0.0012572166870682079,
                                 0.00021596329330798538, -2.2473682714239383e-5, -2.6467022312291183e-6,
                                 2.3707826858407412e-6, -8.1953446715855084e-7, 1.9291231620771014e-7,
                                 -2.5653595148994011e-8, -1.9587891928865947e-9)
               : x < 3.5 ? horner(x - 2.75, -9.2041404103242961, -5.8265359550250295, -0.95128674128084934,
                                 -0.0089332570511514633, 0.0017050157903704696, -0.00032065932360936266,
                                 5.7592983960616836e-5, -9.5807522835895888e-6, 1.4048774331070748e-6,
                                 -1.5991586843754677e-7, 6.2935024747071613e-9, 3.6650756270849027e-9,
                                 -1.7247390699279749e-9, 4.4330437826973837e-10)
                         : horner(x - 4.75, -24.714058941910324, -9.7020885769724572, -0.98034063709056107,
                                 -0.0024595879945119416, 0.00033424198081494195, -4.6785680781936467e-5,
                                 6.5828520744212876e-6, -9.177262727494444e-7, 1.2541792918990002e-7,
                                 -1.6630351717400302e-8, 2.1123338030784216e-9, -2.5292286476390635e-10,
                                 2.8038056527237239e-11, -2.3832781969980801e-12);
    }
};

/* ---- numbers taken apart and put together ---- */
template <class T> __WS_FN typename real<T>::bits bits_of(T x) { return __builtin_bit_cast(typename real<T>::bits, x); }
template <class T> __WS_FN T from_bits(typename real<T>::bits b) { return __builtin_bit_cast(T, b); }
template <class T> __WS_FN T power_of_two(int n) /* of a normal number */
{
    return from_bits<T>((typename real<T>::bits)(n + real<T>::bias) << real<T>::mantissa);
}
/* x times 2^n, rounded once. n within twice the exponent's range. */
template <class T> __WS_FN T scale(T x, int n)
{
    int half = n >> 1;
    return x * power_of_two<T>(half) * power_of_two<T>(n - half);
}
/* x = m 2^e with m in [sqrt 1/2, sqrt 2), for positive finite x. */
template <class T> __WS_FN T take_apart(T x, int *e)
{
    typedef real<T> R;
    int lifted = 0;
    if (x < R::tiny) x *= R::split, lifted = R::split_power;
    typename R::bits b = bits_of(x), root_half = bits_of((T)0.70710678118654752);
    int n = (int)((typename R::word)(b - root_half) >> R::mantissa);
    *e = n - lifted;
    return from_bits<T>(b - ((typename R::bits)n << R::mantissa));
}

/* ---- pairs: hi + lo, unevaluated ---- */
template <class T> struct pair {
    T hi, lo;
};
template <class T> __WS_FN pair<T> fast_sum(T a, T b) /* |a| >= |b| */
{
    T s = add(a, b);
    return {s, add(b, -add(s, -a))};
}
template <class T> __WS_FN pair<T> sum(T a, T b)
{
    T s = add(a, b), t = add(s, -a);
    return {s, add(add(a, -add(s, -t)), add(b, -t))};
}
template <class T> __WS_FN pair<T> product(T a, T b)
{
    T p = mul(a, b);
    return {p, fma(a, b, -p)};
}
template <class T> __WS_FN pair<T> product(pair<T> a, pair<T> b)
{
    pair<T> p = product(a.hi, b.hi);
    return fast_sum(p.hi, fma(a.hi, b.lo, fma(a.lo, b.hi, p.lo)));
}
template <class T> __WS_FN pair<T> sum(pair<T> a, pair<T> b)
{
    pair<T> s = sum(a.hi, b.hi);
    return fast_sum(s.hi, add(s.lo, add(a.lo, b.lo)));
}

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
/* What is no positive finite number: the logarithm of 0, of the negative, of infinity and of NaN. */
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
/* 2/pi in 64-bit pieces, a zero in front, for arguments so large that every bit of it counts. */
static __device__ const unsigned long long two_over_pi_bits[21] = {
    0,
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull,
};
/* x = quadrant pi/2 + (hi + lo) for large |x|: the product of its whole mantissa m with 2/pi, of which only the 192
 * bits that follow those of weight 4 and more (whole turns) are taken, so that the product's point stands 2 bits below
 * its top. */
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
    bool is_upper = f1 >> 63; /* a fraction over one half: the next quadrant, and a negative rest */
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
    if (a < R::tiny) a *= R::split, back = sizeof(T) == 4 ? (T)0x1p-8 : (T)0x1p-18; /* whose cubes are 1 / split */
    if (a > R::huge) a *= 1 / R::split, back = sizeof(T) == 4 ? (T)0x1p8 : (T)0x1p18;
    /* A third of the exponent for a start, within 6 %; Halley triples the digits; the last step has an exact remainder.
     */
    T y = from_bits<T>(bits_of(a) / 3 + ((typename R::bits)R::bias << R::mantissa) / 3 * 2);
    for (int i = 0; i < (sizeof(T) == 4 ? 2 : 3); i++) {
        T c = y * y * y;
        y *= (c + 2 * a) / (2 * c + a);
    }
    pair<T> square = product(y, y);
    T left = fma(square.lo, y, fma(square.hi, y, -a));
    y = add(y, -left / (3 * square.hi)); /* to the y whose cube was taken, not to its unrounded product */
    return copysign(y * back, x);
}
template <class T> __WS_FN T hypot(T x, T y)
{
    typedef real<T> R;
    T a = abs(x), b = abs(y), unit = 1;
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
    return r * unit;
}
template <class T> __WS_FN T fmod(T x, T y)
{
    typedef real<T> R;
    T a = abs(x), b = abs(y);
    if (!(a < R::inf) || !(b > 0)) return R::nan;
    if (a < b || b == R::inf || b != b) return b != b ? b : x;
    /* Take away multiples of b 2^k, each with a quotient of few enough bits that the remainder is exact. */
    const T step = power_of_two<T>(R::mantissa - 2);
    while (a >= b) {
        T c = b;
        for (T next; (next = c * step) <= a;) c = next;
        T r = fma(-trunc(a / c), c, a);
        a = r < 0 ? r + c : r;
    }
    return copysign(a, x);
}

} // namespace __ws

/* ---- the C names. `exp` and the like exist for float, double and whole numbers, as in C++. ---- */
#define __WS_NAME1(name)                                                                                         \
    __WS_FN float name##f(float x) { return __ws::name(x); }                                                     \
    __WS_FN float name(float x) { return __ws::name(x); }                                                        \
    __WS_FN double name(double x) { return __ws::name(x); }                                                      \
    __WS_FN double name(int x) { return __ws::name((double)x); }
#define __WS_NAME2(name)                                                                                         \
    __WS_FN float name##f(float x, float y) { return __ws::name(x, y); }                                         \
    __WS_FN float name(float x, float y) { return __ws::name(x, y); }                                            \
    __WS_FN double name(double x, double y) { return __ws::name(x, y); }                                         \
    __WS_FN double name(float x, double y) { return __ws::name((double)x, y); }                                  \
    __WS_FN double name(double x, float y) { return __ws::name(x, (double)y); }                                  \
    __WS_FN double name(double x, int y) { return __ws::name(x, (double)y); }                                    \
    __WS_FN float name(float x, int y) { return __ws::name(x, (float)y); }                                       \
    __WS_FN double name(int x, double y) { return __ws::name((double)x, y); }                                    \
    __WS_FN double name(int x, int y) { return __ws::name((double)x, (double)y); }
__WS_NAME1(sqrt) __WS_NAME1(exp) __WS_NAME1(exp2) __WS_NAME1(exp10) __WS_NAME1(expm1)
__WS_NAME1(log) __WS_NAME1(log2) __WS_NAME1(log10) __WS_NAME1(log1p)
__WS_NAME1(sin) __WS_NAME1(cos) __WS_NAME1(tan) __WS_NAME1(asin) __WS_NAME1(acos) __WS_NAME1(atan)
__WS_NAME1(sinh) __WS_NAME1(cosh) __WS_NAME1(tanh) __WS_NAME1(erf) __WS_NAME1(cbrt)
__WS_NAME1(asinh) __WS_NAME1(acosh) __WS_NAME1(atanh)
__WS_NAME2(pow) __WS_NAME2(atan2) __WS_NAME2(hypot) __WS_NAME2(fmod)
#undef __WS_NAME1
#undef __WS_NAME2
__WS_FN void sincosf(float x, float *s, float *c) { __ws::sincos(x, s, c); }
__WS_FN void sincos(double x, double *s, double *c) { __ws::sincos(x, s, c); }
__WS_FN float sinpif(float x) { return __ws::sin(fmodf(x, 2.0f) * 3.14159265358979f); }
__WS_FN float rsqrtf(float x) { return __ws_rsqrt(x); } /* the hardware's: 2 ulp */
__WS_FN float rsqrt(float x) { return __ws_rsqrt(x); }
__WS_FN double rsqrt(double x) { return 1 / __dsqrt_rn(x); }

/* Those that are an instruction or two. */
#define __WS_BUILTIN1(name)                                                                                      \
    __WS_FN float name##f(float x) { return __builtin_##name##f(x); }                                            \
    __WS_FN float name(float x) { return __builtin_##name##f(x); }                                               \
    __WS_FN double name(double x) { return __builtin_##name(x); }                                                \
    __WS_FN double name(int x) { return x; }
__WS_BUILTIN1(floor) __WS_BUILTIN1(ceil) __WS_BUILTIN1(trunc) __WS_BUILTIN1(rint) __WS_BUILTIN1(nearbyint)
#undef __WS_BUILTIN1
__WS_FN float fabsf(float x) { return __builtin_fabsf(x); }
__WS_FN double fabs(double x) { return __builtin_fabs(x); }
__WS_FN float fabs(float x) { return __builtin_fabsf(x); }
__WS_FN float abs(float x) { return __builtin_fabsf(x); }
__WS_FN double abs(double x) { return __builtin_fabs(x); }
/* Halves away from zero: add a half with the sign of x, unless x is whole already. */
__WS_FN float roundf(float x)
{
    float t = __builtin_truncf(x);
    return __builtin_copysignf(__builtin_fabsf(x - t) >= 0.5f ? t + __builtin_copysignf(1.0f, x) : t, x);
}
__WS_FN double round(double x)
{
    double t = __builtin_trunc(x);
    return __builtin_copysign(__builtin_fabs(x - t) >= 0.5 ? t + __builtin_copysign(1.0, x) : t, x);
}
__WS_FN float round(float x) { return roundf(x); }
__WS_FN long lroundf(float x) { return (long)roundf(x); }
__WS_FN long lround(double x) { return (long)round(x); }
__WS_FN long lrintf(float x) { return (long)__builtin_rintf(x); }
__WS_FN long lrint(double x) { return (long)__builtin_rint(x); }
__WS_FN float fminf(float x, float y) { return __builtin_fminf(x, y); }
__WS_FN float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
__WS_FN double fmin(double x, double y) { return __builtin_fmin(x, y); }
__WS_FN double fmax(double x, double y) { return __builtin_fmax(x, y); }
__WS_FN float fmin(float x, float y) { return __builtin_fminf(x, y); }
__WS_FN float fmax(float x, float y) { return __builtin_fmaxf(x, y); }
__WS_FN float min(float x, float y) { return __builtin_fminf(x, y); }
__WS_FN float max(float x, float y) { return __builtin_fmaxf(x, y); }
__WS_FN double min(double x, double y) { return __builtin_fmin(x, y); }
__WS_FN double max(double x, double y) { return __builtin_fmax(x, y); }
__WS_FN double min(float x, double y) { return __builtin_fmin(x, y); }
__WS_FN double max(float x, double y) { return __builtin_fmax(x, y); }
__WS_FN double min(double x, float y) { return __builtin_fmin(x, y); }
__WS_FN double max(double x, float y) { return __builtin_fmax(x, y); }
__WS_FN float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__WS_FN double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__WS_FN float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__WS_FN float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
__WS_FN double copysign(double x, double y) { return __builtin_copysign(x, y); }
__WS_FN float fdimf(float x, float y) { return x != x || y != y ? x + y : x > y ? x - y : 0.0f; }
__WS_FN double fdim(double x, double y) { return x != x || y != y ? x + y : x > y ? x - y : 0.0; }
__WS_FN float fdividef(float x, float y) { return x / y; }
__WS_FN float ldexpf(float x, int n)
{
    n = n > 300 ? 300 : n < -300 ? -300 : n;
    int third = n / 3;
    float p = __ws::power_of_two<float>(third);
    return x * p * p * __ws::power_of_two<float>(n - 2 * third);
}
__WS_FN float scalbnf(float x, int n) { return ldexpf(x, n); }
__WS_FN double ldexp(double x, int n)
{
    n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
    int third = n / 3;
    double p = __ws::power_of_two<double>(third);
    return x * p * p * __ws::power_of_two<double>(n - 2 * third);
}
__WS_FN float modff(float x, float *whole)
{
    *whole = __builtin_truncf(x);
    return __builtin_copysignf(__builtin_fabsf(x) == __builtin_inff() ? 0.0f : x - *whole, x);
}
__WS_FN double modf(double x, double *whole)
{
    *whole = __builtin_trunc(x);
    return __builtin_copysign(__builtin_fabs(x) == __builtin_inf() ? 0.0 : x - *whole, x);
}
#define __WS_TEST(name, float_test, double_test)                                                                 \
    __WS_FN bool name(float x) { return float_test; }                                                            \
    __WS_FN bool name(double x) { return double_test; }
__WS_TEST(isnan, x != x, x != x)
__WS_TEST(isinf, __builtin_fabsf(x) == __builtin_inff(), __builtin_fabs(x) == __builtin_inf())
__WS_TEST(isfinite, __builtin_fabsf(x) < __builtin_inff(), __builtin_fabs(x) < __builtin_inf())
__WS_TEST(signbit, (__builtin_bit_cast(unsigned int, x) >> 31) != 0,
          (__builtin_bit_cast(unsigned long long, x) >> 63) != 0)
#undef __WS_TEST

/* The same in namespace std, before <cmath> makes host functions of those names. */
namespace std {
using ::abs; using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2; using ::atanh;
using ::cbrt; using ::ceil; using ::copysign;
using ::cos; using ::cosh; using ::erf; using ::exp; using ::exp2; using ::expm1; using ::fabs; using ::fdim;
using ::floor; using ::fma; using ::fmax; using ::fmin; using ::fmod; using ::hypot; using ::isfinite; using ::isinf;
using ::isnan; using ::ldexp; using ::log; using ::log10; using ::log1p; using ::log2; using ::lrint; using ::lround;
using ::modf; using ::nearbyint; using ::pow; using ::rint; using ::round; using ::signbit; using ::sin; using ::sinh;
using ::sqrt; using ::tan; using ::tanh; using ::trunc;
}

#ifndef INFINITY
#define INFINITY (__builtin_inff ())
#define NAN (__builtin_nanf (""))
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_E 2.7182818284590452354
#define M_LN2 0.69314718055994530942
#define M_SQRT2 1.41421356237309504880
#endif
#define CUDART_INF_F __builtin_inff()
#define CUDART_PI_F 3.141592654f

#endif
