/* warpstep_names.h: the C names of the mathematical functions, for float, double and whole numbers;
 * the functions that are an instruction or two; and all of them in namespace std.
 */
#ifndef WARPSTEP_NAMES_H
#define WARPSTEP_NAMES_H

/* ---- the C names; `exp` and the like exist for float, double and whole numbers, as in C++ ---- */
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
__WS_NAME1(sinh) __WS_NAME1(cosh) __WS_NAME1(tanh) __WS_NAME1(erf) __WS_NAME1(erfc) __WS_NAME1(normcdf) __WS_NAME1(cbrt)
__WS_NAME1(asinh) __WS_NAME1(acosh) __WS_NAME1(atanh)
__WS_NAME2(pow) __WS_NAME2(atan2) __WS_NAME2(hypot) __WS_NAME2(fmod)
__WS_NAME2(remainder) __WS_NAME2(nextafter)
#undef __WS_NAME1
#undef __WS_NAME2
__WS_FN void sincosf(float x, float *s, float *c) { __ws::sincos(x, s, c); }
__WS_FN void sincos(double x, double *s, double *c) { __ws::sincos(x, s, c); }
__WS_FN void sincospif(float x, float *s, float *c) { __ws::sincospi(x, s, c); }
__WS_FN void sincospi(double x, double *s, double *c) { __ws::sincospi(x, s, c); }
#define __WS_PI(name, want)                                                                                      \
    __WS_FN float name##f(float x)                                                                               \
    {                                                                                                            \
        float s, c;                                                                                              \
        __ws::sincospi(x, &s, &c);                                                                               \
        return want;                                                                                             \
    }                                                                                                            \
    __WS_FN double name(double x)                                                                                \
    {                                                                                                            \
        double s, c;                                                                                             \
        __ws::sincospi(x, &s, &c);                                                                               \
        return want;                                                                                             \
    }
__WS_PI(sinpi, s) __WS_PI(cospi, c)
#undef __WS_PI
__WS_FN float frexpf(float x, int *e) { return __ws::frexp(x, e); }
__WS_FN double frexp(double x, int *e) { return __ws::frexp(x, e); }
__WS_FN float frexp(float x, int *e) { return __ws::frexp(x, e); }
#define __WS_LOGB(type, f)                                                                                       \
    __WS_FN int ilogb##f(type x)                                                                                 \
    {                                                                                                            \
        int e;                                                                                                   \
        if (!(__ws::abs(x) < __ws::real<type>::inf)) return x != x ? (int)0x80000000 : 0x7fffffff;               \
        if (x == 0) return (int)0x80000000;                                                                      \
        __ws::frexp(x, &e);                                                                                      \
        return e - 1;                                                                                            \
    }                                                                                                            \
    __WS_FN type logb##f(type x)                                                                                 \
    {                                                                                                            \
        return x == 0 ? -__ws::real<type>::inf : __ws::abs(x) < __ws::real<type>::inf ? (type)ilogb##f(x) : x * x; \
    }
__WS_LOGB(float, f) __WS_LOGB(double, )
#undef __WS_LOGB
__WS_FN float rcbrtf(float x) { return 1 / __ws::cbrt(x); }
__WS_FN double rcbrt(double x) { return 1 / __ws::cbrt(x); }
__WS_FN float rhypotf(float x, float y) { return __ws::rhypot(x, y); }
__WS_FN double rhypot(double x, double y) { return __ws::rhypot(x, y); }
__WS_FN float norm3df(float x, float y, float z) { return __ws::hypot(__ws::hypot(x, y), z); }
__WS_FN double norm3d(double x, double y, double z) { return __ws::hypot(__ws::hypot(x, y), z); }
__WS_FN float rsqrtf(float x) { return __ws_rsqrt(x); } /* the hardware's: 2 ulp */
__WS_FN float rsqrt(float x) { return __ws_rsqrt(x); }
__WS_FN double rsqrt(double x) { return 1 / __dsqrt_rn(x); }

/* Functions that are an instruction or two. */
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
__WS_FN long long llroundf(float x) { return (long long)roundf(x); }
__WS_FN long long llround(double x) { return (long long)round(x); }
__WS_FN long long llrintf(float x) { return (long long)__builtin_rintf(x); }
__WS_FN long long llrint(double x) { return (long long)__builtin_rint(x); }
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
using ::cbrt; using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc; using ::exp;
using ::exp2; using ::expm1; using ::fabs; using ::fdim; using ::floor; using ::frexp; using ::fma; using ::fmax;
using ::fmin; using ::fmod; using ::hypot; using ::isfinite; using ::isinf; using ::isnan; using ::ldexp; using ::log;
using ::log10; using ::log1p; using ::log2; using ::lrint; using ::lround; using ::modf; using ::llrint;
using ::llround; using ::logb; using ::nearbyint; using ::nextafter; using ::pow; using ::remainder; using ::rint;
using ::round; using ::signbit; using ::sin; using ::sinh; using ::sqrt; using ::tan; using ::tanh; using ::trunc;
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
