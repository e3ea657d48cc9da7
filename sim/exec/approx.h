/* approx.h: the functions that PTX only approximates, in double precision.
 *
 * A card's special-function unit is good to about 22 bits, and no specification says where it errs.
 * These are good to better than 2^-40, so rounding them to f32 gives the nearest number, or one of
 * the nearest two in rare near-ties. They are plain IEEE additions, multiplications and divisions
 * in a fixed order, so every machine gets the same bits. The host's libm is not used.
 *
 * Each polynomial is the function's own series, cut off where the next term is below the stated
 * error on the reduced range.
 */
#ifndef SIM_APPROX_H
#define SIM_APPROX_H

#include "half.h"

/* To the nearest whole number, for |x| < 2^51. */
static inline double approx_near(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

/* 2^f for |f| <= 1/2: relative error below 2^-46. */
static inline double approx_ex2_part(double f)
{
    double p = 2.5678435993488206e-11;
    p = p * f + 4.4455382718708116e-10;
    p = p * f + 7.054911620801123e-09;
    p = p * f + 1.01780860092397e-07;
    p = p * f + 1.321548679014431e-06;
    p = p * f + 1.5252733804059841e-05;
    p = p * f + 0.0001540353039338161;
    p = p * f + 0.0013333558146428443;
    p = p * f + 0.009618129107628477;
    p = p * f + 0.05550410866482158;
    p = p * f + 0.24022650695910072;
    p = p * f + 0.6931471805599453;
    return p * f + 1.0;
}

/* 2^x. Beyond +-1000 it stays at a value that becomes infinity or zero in f32. NaN stays. */
static inline double approx_ex2(double x)
{
    x = x > 1000.0 ? 1000.0 : x < -1000.0 ? -1000.0 : x;
    double n = approx_near(x == x ? x : 0.0);
    double scale = bits_f64((uint64_t)((int64_t)n + 1023) << 52);
    return approx_ex2_part(x - n) * scale;
}

/* log2 x for finite x > 0, and infinity: relative error below 2^-46. With m between sqrt(1/2) and
 * sqrt 2, log m = 2 artanh s, s = (m - 1) / (m + 1). */
static inline double approx_lg2(double x)
{
    uint64_t u = f64_bits(x);
    double e = (double)((int32_t)(u >> 52) - 1023),
           m = bits_f64((u & UINT64_C(0xfffffffffffff)) | UINT64_C(1023) << 52);
    bool high = m > 1.4142135623730951;
    m = high ? m * 0.5 : m;
    e = high ? e + 1.0 : e;
    double s = (m - 1.0) / (m + 1.0), q = s * s;
    double p = 0.15186263588304877;
    p = p * q + 0.16972882833987804;
    p = p * q + 0.19235933878519512;
    p = p * q + 0.22195308321368667;
    p = p * q + 0.2623081892525388;
    p = p * q + 0.3205988979753252;
    p = p * q + 0.4121985831111324;
    p = p * q + 0.5770780163555853;
    p = p * q + 0.9617966939259756;
    p = p * q + 2.8853900817779268;
    return e + p * s;
}

/* The sine of `turns` full turns, and the cosine when `quarter` is 1: absolute error below 2^-44,
 * relative to a small angle as well. The angle is brought to an eighth of a turn around the nearest
 * quarter. */
static inline double approx_sin_turns(double turns, int quarter)
{
    double t = turns - approx_near(turns), n = approx_near(t * 4.0), r = t - n * 0.25, q = r * r;
    int32_t k = ((int32_t)n + quarter) & 3;
    double s = -0.7181223017785006;
    s = s * q + 3.819952584848282;
    s = s * q - 15.09464257682299;
    s = s * q + 42.058693944897655;
    s = s * q - 76.70585975306139;
    s = s * q + 81.60524927607506;
    s = s * q - 41.34170224039976;
    s = (s * q + 6.283185307179586) * r;
    double c = 0.28200596845579123;
    c = c * q - 1.714390711088672;
    c = c * q + 7.903536371318469;
    c = c * q - 26.4262567833744;
    c = c * q + 60.24464137187666;
    c = c * q - 85.45681720669373;
    c = c * q + 64.9393940226683;
    c = c * q - 19.739208802178716;
    c = c * q + 1.0;
    double v = k & 1 ? c : s;
    return k & 2 ? -v : v;
}

/* tanh x = (e^2x - 1) / (e^2x + 1), with e^2x - 1 from its own series when it is small: relative
 * error below 2^-42. */
static inline double approx_tanh(double x)
{
    double size = x < 0 ? -x : x, y = size > 20.0 ? 40.0 : 2.0 * size;
    double p = 1.1470745597729725e-11;
    p = p * y + 1.6059043836821613e-10;
    p = p * y + 2.08767569878681e-09;
    p = p * y + 2.505210838544172e-08;
    p = p * y + 2.755731922398589e-07;
    p = p * y + 2.7557319223985893e-06;
    p = p * y + 2.48015873015873e-05;
    p = p * y + 0.0001984126984126984;
    p = p * y + 0.001388888888888889;
    p = p * y + 0.008333333333333333;
    p = p * y + 0.041666666666666664;
    p = p * y + 0.16666666666666666;
    p = p * y + 0.5;
    p = (p * y + 1.0) * y;
    double m = y < 0.5 ? p : approx_ex2(y * 1.4426950408889634) - 1.0;
    double r = m / (m + 2.0);
    return x < 0 ? -r : x > 0 ? r : x;
}

#endif
