/* warpstep_real.h: the base of the mathematical functions: constants and polynomials of float and
 * double in `real<T>`, numbers split into parts, and pairs of twice the precision. Polynomials were
 * fitted by interpolation at Chebyshev nodes.
 */
#ifndef WARPSTEP_REAL_H
#define WARPSTEP_REAL_H

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
    /* ln 2, log10 2, pi/2 in parts. The first parts of ln 2 and log10 2 leave room for an exact
     * product with an exponent. */
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

/* ---- numbers split and put together ---- */
template <class T> __WS_FN typename real<T>::bits bits_of(T x) { return __builtin_bit_cast(typename real<T>::bits, x); }
template <class T> __WS_FN T from_bits(typename real<T>::bits b) { return __builtin_bit_cast(T, b); }
template <class T> __WS_FN T power_of_two(int n) /* a normal number */
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

} // namespace __ws
#endif
