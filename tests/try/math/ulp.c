/* ulp.c: compares the device header's functions with the host's functions in wider types.
 *
 *     ulp make f32|f64 X Y N          writes N inputs per function to the files X and Y
 *     ulp judge f32|f64 X Y OUT N     reads the kernel's results and prints each function's largest
 *                                     error
 *
 * Errors are in units in the last place of the exact result. The host's double functions are the
 * reference for float, its long double functions for double (refused where long double is no
 * wider). Inputs: many random ones over each function's range, and all pairs of special values.
 */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double wide;
static wide f_rsqrt(wide x) { return 1 / sqrtl(x); }
static wide f_exp10(wide x) { return powl(10, x); }

static wide f_normcdf(wide x) { return erfcl(-x * sqrtl(0.5L)) / 2; }
static int is_double_run;
static wide f_nextafter(wide x, wide y)
{
    return is_double_run ? nextafter((double)x, (double)y) : nextafterf((float)x, (float)y);
}
static wide turn(wide x, int quarters) /* sin((x + quarters / 2) pi), x reduced exactly */
{
    if (isinf(x) || isnan(x)) return NAN;
    wide r = fmodl(x, 2), n = rintl(2 * r), f = (r - n / 2) * 3.14159265358979323846264338327950288L;
    switch (((int)n + quarters) & 3) {
    case 0: return f == 0 ? copysignl(0, quarters ? 1 : x) : sinl(f);
    case 1: return cosl(f);
    case 2: return f == 0 ? copysignl(0, quarters ? 1 : x) : -sinl(f);
    default: return -cosl(f);
    }
}
static wide f_sinpi(wide x) { return turn(x, 0); }
static wide f_cospi(wide x) { return turn(x, 1); }

static wide f_rcbrt(wide x) { return 1 / cbrtl(x); }
static wide f_rhypot(wide x, wide y) { return 1 / hypotl(x, y); }
static wide f_norm3d(wide x, wide y) { return hypotl(hypotl(x, y), 3); }
static wide f_ilogb(wide x) { return x == 0 || isnan(x) ? INT32_MIN : isinf(x) ? INT32_MAX : ilogbl(x); }
static wide f_mantissa(wide x)
{
    int e;
    return frexpl(x, &e);
}
static wide f_exponent(wide x)
{
    int e = 0;
    if (x != 0 && isfinite(x)) frexpl(x, &e);
    return e;
}
#define NO_MATTER 1e4000L /* the result is undefined: anything matches */
static wide to_integer(wide x, int mode, wide low, wide high)
{
    fesetround(mode);
    wide r = rintl(x);
    fesetround(FE_TONEAREST);
    return r >= low && r <= high ? r + 0 : NO_MATTER; /* + 0: an integer has no negative zero */
}
static wide f_llround(wide x)
{
    wide r = roundl(x);
    return fabsl(r) < 0x1p63L ? r + 0 : NO_MATTER;
}
static wide f_llrint(wide x) { return to_integer(x, FE_TONEAREST, -0x1p63L, 0x1p63L - 1); }
static wide f_ldexp(wide x, wide y)
{
    int n = y > -3000 && y < 3000 ? (int)y : 0;
    return is_double_run ? ldexp((double)x, n) : ldexpf((float)x, n);
}
static wide f_whole(wide x) { return truncl(x); }
static wide f_rest(wide x) { return isinf(x) ? copysignl(0, x) : isnan(x) ? NAN : copysignl(x - truncl(x), x); }
static wide f_class(wide x) { return isnan(x) ? NO_MATTER : 2 * !!isinf(x) + 4 * !!isfinite(x) + 8 * !!signbit(x); }

/* Operations in the type itself, not a wider one, in a rounding mode. */
#define IN_TYPE(name, expression)                                                    \
    static wide name##_in(int mode, wide a, wide b)                                  \
    {                                                                                \
        wide result;                                                                 \
        fesetround(mode);                                                            \
        if (is_double_run) {                                                         \
            volatile double x = (double)a, y = (double)b, r;                         \
            r = expression(, x, y);                                                  \
            result = r;                                                              \
        } else {                                                                     \
            volatile float x = (float)a, y = (float)b, r;                            \
            r = expression(f, x, y);                                                 \
            result = r;                                                              \
        }                                                                            \
        fesetround(FE_TONEAREST);                                                    \
        return result;                                                               \
    }                                                                                \
    static wide name##_rn(wide a, wide b) { return name##_in(FE_TONEAREST, a, b); }  \
    static wide name##_rz(wide a, wide b) { return name##_in(FE_TOWARDZERO, a, b); } \
    static wide name##_ru(wide a, wide b) { return name##_in(FE_UPWARD, a, b); }     \
    static wide name##_rd(wide a, wide b) { return name##_in(FE_DOWNWARD, a, b); }
#define E_ADD(f, x, y)  x + y
#define E_SUB(f, x, y)  x - y
#define E_MUL(f, x, y)  x *y
#define E_DIV(f, x, y)  x / y
#define E_SQRT(f, x, y) ((void)y, sqrt##f(x))
#define E_RCP(f, x, y)  ((void)y, 1 / x)
#define E_FMA(f, x, y)  fma##f(x, y, x)
#define E_LL(f, x, y)   ((void)y, x > -9e18 && x < 9e18 ? (long long)x | 1 : 1)
#define E_ULL(f, x, y)  ((void)y, x >= 0 && x < 1.8e19 ? (unsigned long long)x | 1 : 1)
#define E_INT(f, x, y)  ((void)y, x > -2e9 && x < 2e9 ? (int)x | 1 : 1)
#define E_UINT(f, x, y) ((void)y, x >= 0 && x < 4e9 ? (unsigned)x | 1 : 1)
IN_TYPE(add, E_ADD)
IN_TYPE(sub, E_SUB)
IN_TYPE(mul, E_MUL)
IN_TYPE(div, E_DIV)
IN_TYPE(root, E_SQRT)
IN_TYPE(rcp, E_RCP)
IN_TYPE(mad, E_FMA)
IN_TYPE(from_ll, E_LL)
IN_TYPE(from_ull, E_ULL)
IN_TYPE(from_int, E_INT)
IN_TYPE(from_uint, E_UINT)
static wide narrow_in(int mode, wide x)
{
    fesetround(mode);
    volatile double d = (double)x;
    volatile float f = (float)d;
    fesetround(FE_TONEAREST);
    return f;
}
#define TO_INTEGER(name, low, high)                                                   \
    static wide name##_rn(wide x) { return to_integer(x, FE_TONEAREST, low, high); }  \
    static wide name##_rz(wide x) { return to_integer(x, FE_TOWARDZERO, low, high); } \
    static wide name##_ru(wide x) { return to_integer(x, FE_UPWARD, low, high); }     \
    static wide name##_rd(wide x) { return to_integer(x, FE_DOWNWARD, low, high); }
TO_INTEGER(to_int, -0x1p31L, 0x1p31L - 1)
TO_INTEGER(to_uint, 0, 0x1p32L - 1)
TO_INTEGER(to_ll, -0x1p63L, 0x1p63L - 1)
TO_INTEGER(to_ull, 0, 0x1p64L - 1)
/* The last rows of the table differ by type: each is one function for float, another for double. */
static wide last_76(wide x, wide y) { return from_int_rn(x, y); }
static wide last_77(wide x, wide y) { return is_double_run ? narrow_in(FE_TONEAREST, x) : from_int_rz(x, y); }
static wide last_78(wide x, wide y) { return is_double_run ? narrow_in(FE_TOWARDZERO, x) : from_int_ru(x, y); }
static wide last_79(wide x, wide y) { return is_double_run ? narrow_in(FE_UPWARD, x) : from_int_rd(x, y); }
static wide last_80(wide x, wide y) { return from_uint_rn(x, y); }
static wide last_81(wide x, wide y) { return is_double_run ? narrow_in(FE_DOWNWARD, x) : from_uint_rz(x, y); }
static wide last_82(wide x, wide y) { return is_double_run ? x : from_uint_ru(x, y); }
static wide last_83(wide x, wide y) { return is_double_run ? 0 : from_uint_rd(x, y); }
static wide last_84(wide x, wide y) { return is_double_run ? 0 : f_ldexp(x, y); }
static wide last_85(wide x, wide y) { return is_double_run ? 0 : (wide)(float)x / (wide)(float)y; }

/* A function, its reference, and its range. pick() draws from that range, and any magnitude. */
static const struct function {
    const char *name;
    wide (*one)(wide);
    wide (*two)(wide, wide);
    double low, high, low_y, high_y;
    double allowed[2]; /* for float and double, as the header states */
} functions[] = {
    {"sqrt", sqrtl, 0, 0, 1e30, 0, 0, {0.5, 0.5}},
    {"rsqrt", f_rsqrt, 0, 1e-30, 1e30, 0, 0, {2, 1.5}},
    {"cbrt", cbrtl, 0, -1e30, 1e30, 0, 0, {1, 1}},
    {"exp", expl, 0, -104, 90, 0, 0, {1, 1}},
    {"exp2", exp2l, 0, -150, 130, 0, 0, {1, 1}},
    {"exp10", f_exp10, 0, -45, 39, 0, 0, {1, 1}},
    {"expm1", expm1l, 0, -20, 89, 0, 0, {2, 2}},
    {"log", logl, 0, 0, 4, 0, 0, {1, 1}},
    {"log2", log2l, 0, 0, 4, 0, 0, {1, 1}},
    {"log10", log10l, 0, 0, 4, 0, 0, {1, 1}},
    {"log1p", log1pl, 0, -1, 4, 0, 0, {1, 1}},
    {"sin", sinl, 0, -20, 20, 0, 0, {1, 1}},
    {"cos", cosl, 0, -20, 20, 0, 0, {1, 1}},
    {"tan", tanl, 0, -20, 20, 0, 0, {2, 2}},
    {"asin", asinl, 0, -1, 1, 0, 0, {1, 1}},
    {"acos", acosl, 0, -1, 1, 0, 0, {1, 1}},
    {"atan", atanl, 0, -6, 6, 0, 0, {2, 2}},
    {"sinh", sinhl, 0, -90, 90, 0, 0, {2, 2}},
    {"cosh", coshl, 0, -90, 90, 0, 0, {2, 2}},
    {"tanh", tanhl, 0, -10, 10, 0, 0, {2, 2}},
    {"erf", erfl, 0, -6, 6, 0, 0, {1.5, 1.5}},
    {"pow", 0, powl, 0, 50, -30, 30, {1, 1}},
    {"atan2", 0, atan2l, -10, 10, -10, 10, {2.5, 2.5}},
    {"hypot", 0, hypotl, -1e5, 1e5, -1e5, 1e5, {1, 1}},
    {"fmod", 0, fmodl, -1e6, 1e6, -100, 100, {0, 0}},
    {"floor", floorl, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"ceil", ceill, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"trunc", truncl, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"rint", rintl, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"round", roundl, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"fmin", 0, fminl, -10, 10, -10, 10, {0, 0}},
    {"fmax", 0, fmaxl, -10, 10, -10, 10, {0, 0}},
    {"fabs", fabsl, 0, -10, 10, 0, 0, {0, 0}},
    {"fdim", 0, fdiml, -10, 10, -10, 10, {0.5, 0.5}},
    {"asinh", asinhl, 0, -20, 20, 0, 0, {2, 2}},
    {"acosh", acoshl, 0, 0.5, 20, 0, 0, {2, 2}},
    {"atanh", atanhl, 0, -1, 1, 0, 0, {2, 2}},
    {"erfc", erfcl, 0, -6, 28, 0, 0, {4, 4}},
    {"normcdf", f_normcdf, 0, -38, 8, 0, 0, {4, 4}},
    {"sinpi", f_sinpi, 0, -20, 20, 0, 0, {1, 1}},
    {"cospi", f_cospi, 0, -20, 20, 0, 0, {1, 1}},
    {"remainder", 0, remainderl, -1e6, 1e6, -100, 100, {0, 0}},
    {"nextafter", 0, f_nextafter, -10, 10, -10, 10, {0, 0}},
    {"logb", logbl, 0, 0, 100, 0, 0, {0, 0}},
    {"rcbrt", f_rcbrt, 0, -1e30, 1e30, 0, 0, {2, 2}},
    {"rhypot", 0, f_rhypot, -1e5, 1e5, -1e5, 1e5, {2, 2}},
    {"norm3d", 0, f_norm3d, -1e5, 1e5, -1e5, 1e5, {2, 2}},
    {"ilogb", f_ilogb, 0, -100, 100, 0, 0, {0, 0}},
    {"frexp", f_mantissa, 0, -100, 100, 0, 0, {0, 0}},
    {"frexp's exponent", f_exponent, 0, -100, 100, 0, 0, {0, 0}},
    {"llround", f_llround, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"llrint", f_llrint, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"lround", f_llround, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"lrint", f_llrint, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"ldexp", 0, f_ldexp, -10, 10, -160, 160, {1, 1}},
    {"modf", f_rest, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"modf's whole", f_whole, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"sincos, sin", sinl, 0, -20, 20, 0, 0, {1, 1}},
    {"sincos, cos", cosl, 0, -20, 20, 0, 0, {1, 1}},
    {"sincospi, sin", f_sinpi, 0, -20, 20, 0, 0, {1, 1}},
    {"sincospi, cos", f_cospi, 0, -20, 20, 0, 0, {1, 1}},
    {"copysign", 0, copysignl, -10, 10, -10, 10, {0, 0}},
    {"fma", 0, mad_rn, -10, 10, -10, 10, {0, 0}},
    {"nearbyint", rintl, 0, -1e3, 1e3, 0, 0, {0, 0}},
    {"isnan and so on", f_class, 0, -10, 10, 0, 0, {0, 0}},
    {"min", 0, fminl, -10, 10, -10, 10, {0, 0}},
    {"max", 0, fmaxl, -10, 10, -10, 10, {0, 0}},
    {"abs", fabsl, 0, -10, 10, 0, 0, {0, 0}},
    {"add_rn", 0, add_rn, -10, 10, -10, 10, {0, 0}},
    {"add_rz", 0, add_rz, -10, 10, -10, 10, {0, 0}},
    {"add_ru", 0, add_ru, -10, 10, -10, 10, {0, 0}},
    {"add_rd", 0, add_rd, -10, 10, -10, 10, {0, 0}},
    {"sub_rn", 0, sub_rn, -10, 10, -10, 10, {0, 0}},
    {"sub_rz", 0, sub_rz, -10, 10, -10, 10, {0, 0}},
    {"sub_ru", 0, sub_ru, -10, 10, -10, 10, {0, 0}},
    {"sub_rd", 0, sub_rd, -10, 10, -10, 10, {0, 0}},
    {"mul_rn", 0, mul_rn, -10, 10, -10, 10, {0, 0}},
    {"mul_rz", 0, mul_rz, -10, 10, -10, 10, {0, 0}},
    {"mul_ru", 0, mul_ru, -10, 10, -10, 10, {0, 0}},
    {"mul_rd", 0, mul_rd, -10, 10, -10, 10, {0, 0}},
    {"div_rn", 0, div_rn, -10, 10, -10, 10, {0, 0}},
    {"div_rz", 0, div_rz, -10, 10, -10, 10, {0, 0}},
    {"div_ru", 0, div_ru, -10, 10, -10, 10, {0, 0}},
    {"div_rd", 0, div_rd, -10, 10, -10, 10, {0, 0}},
    {"root_rn", 0, root_rn, 0, 10, -10, 10, {0, 0}},
    {"root_rz", 0, root_rz, 0, 10, -10, 10, {0, 0}},
    {"root_ru", 0, root_ru, 0, 10, -10, 10, {0, 0}},
    {"root_rd", 0, root_rd, 0, 10, -10, 10, {0, 0}},
    {"rcp_rn", 0, rcp_rn, -10, 10, -10, 10, {0, 0}},
    {"rcp_rz", 0, rcp_rz, -10, 10, -10, 10, {0, 0}},
    {"rcp_ru", 0, rcp_ru, -10, 10, -10, 10, {0, 0}},
    {"rcp_rd", 0, rcp_rd, -10, 10, -10, 10, {0, 0}},
    {"mad_rn", 0, mad_rn, -10, 10, -10, 10, {0, 0}},
    {"mad_rz", 0, mad_rz, -10, 10, -10, 10, {0, 0}},
    {"mad_ru", 0, mad_ru, -10, 10, -10, 10, {0, 0}},
    {"mad_rd", 0, mad_rd, -10, 10, -10, 10, {0, 0}},
    {"to_int_rn", to_int_rn, 0, -3e9, 3e9, 0, 0, {0, 0}},
    {"to_int_rz", to_int_rz, 0, -3e9, 3e9, 0, 0, {0, 0}},
    {"to_int_ru", to_int_ru, 0, -3e9, 3e9, 0, 0, {0, 0}},
    {"to_int_rd", to_int_rd, 0, -3e9, 3e9, 0, 0, {0, 0}},
    {"to_uint_rn", to_uint_rn, 0, -10, 5e9, 0, 0, {0, 0}},
    {"to_uint_rz", to_uint_rz, 0, -10, 5e9, 0, 0, {0, 0}},
    {"to_uint_ru", to_uint_ru, 0, -10, 5e9, 0, 0, {0, 0}},
    {"to_uint_rd", to_uint_rd, 0, -10, 5e9, 0, 0, {0, 0}},
    {"to_ll_rn", to_ll_rn, 0, -1e19, 1e19, 0, 0, {0, 0}},
    {"to_ll_rz", to_ll_rz, 0, -1e19, 1e19, 0, 0, {0, 0}},
    {"to_ll_ru", to_ll_ru, 0, -1e19, 1e19, 0, 0, {0, 0}},
    {"to_ll_rd", to_ll_rd, 0, -1e19, 1e19, 0, 0, {0, 0}},
    {"to_ull_rn", to_ull_rn, 0, -10, 2e19, 0, 0, {0, 0}},
    {"to_ull_rz", to_ull_rz, 0, -10, 2e19, 0, 0, {0, 0}},
    {"to_ull_ru", to_ull_ru, 0, -10, 2e19, 0, 0, {0, 0}},
    {"to_ull_rd", to_ull_rd, 0, -10, 2e19, 0, 0, {0, 0}},
    {"from_ll_rn", 0, from_ll_rn, -1e19, 1e19, 0, 0, {0, 0}},
    {"from_ll_rz", 0, from_ll_rz, -1e19, 1e19, 0, 0, {0, 0}},
    {"from_ll_ru", 0, from_ll_ru, -1e19, 1e19, 0, 0, {0, 0}},
    {"from_ll_rd", 0, from_ll_rd, -1e19, 1e19, 0, 0, {0, 0}},
    {"from_ull_rn", 0, from_ull_rn, 0, 2e19, 0, 0, {0, 0}},
    {"from_ull_rz", 0, from_ull_rz, 0, 2e19, 0, 0, {0, 0}},
    {"from_ull_ru", 0, from_ull_ru, 0, 2e19, 0, 0, {0, 0}},
    {"from_ull_rd", 0, from_ull_rd, 0, 2e19, 0, 0, {0, 0}},
    {"row 120", 0, last_76, -3e9, 3e9, -100, 100, {0, 0}},
    {"row 121", 0, last_77, -3e9, 3e9, -100, 100, {0, 0}},
    {"row 122", 0, last_78, -3e9, 3e9, -100, 100, {0, 0}},
    {"row 123", 0, last_79, -3e9, 3e9, -100, 100, {0, 0}},
    {"row 124", 0, last_80, -3e9, 3e9, -100, 100, {0, 0}},
    {"row 125", 0, last_81, -3e9, 3e9, -100, 100, {0, 0}},
    {"row 126", 0, last_82, -3e9, 3e9, -100, 100, {0, 0}},
    {"row 127", 0, last_83, -3e9, 3e9, -100, 100, {0, 0}},
    {"row 128", 0, last_84, -3e9, 3e9, -100, 100, {1, 0}},
    {"row 129", 0, last_85, -3e9, 3e9, -100, 100, {2, 0}},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const double corners[] = {0.0,
                                 -0.0,
                                 1,
                                 -1,
                                 0.5,
                                 -0.5,
                                 2,
                                 -2,
                                 3,
                                 -3,
                                 1.5,
                                 2.5,
                                 -2.5,
                                 10,
                                 100,
                                 1000,
                                 8,
                                 1024,
                                 1e10,
                                 -1e10,
                                 1e30,
                                 1e-30,
                                 1e38,
                                 1e-38,
                                 1e-40,
                                 -1e-40,
                                 1e-45,
                                 88.7,
                                 -87.3,
                                 104,
                                 709.7,
                                 -745,
                                 1e300,
                                 1e-300,
                                 1e-310,
                                 4.9e-324,
                                 0.4999999,
                                 0.84,
                                 0.41421356,
                                 2.4142135,
                                 0.7071067811865476,
                                 3.141592653589793,
                                 1.5707963267948966,
                                 22,
                                 355,
                                 103993,
                                 1e5,
                                 99999,
                                 123456789,
                                 6381956970095103.0,
                                 5.3e300,
                                 4503599627370497.5,
                                 8388609.5,
                                 INFINITY,
                                 -INFINITY,
                                 NAN};
enum { CORNERS = sizeof corners / sizeof *corners };

static uint64_t state = 88172645463325252u;
static double uniform(void) /* [0, 1) */
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

static double pick(double low, double high, int n, int is_double)
{
    double range = is_double ? 1000 : 120;
    switch (n % 4) {
    case 0: return (uniform() < 0.5 ? -1 : 1) * exp2((uniform() * 2 - 1) * range); /* any magnitude */
    case 1: return (uniform() < 0.5 ? -1 : 1) * exp2(-12 * uniform());             /* small */
    default: return low + (high - low) * uniform();
    }
}

static int make(int is_double, FILE *x, FILE *y, int n)
{
    for (int f = 0; f < FUNCTIONS; f++)
        for (int i = 0; i < n; i++) {
            const struct function *k = &functions[f];
            int grid = CORNERS * (k->two ? CORNERS : 1);
            double scale = is_double && k->high > 60 && k->high < 200 ? 8 : 1; /* exponentials reach further */
            double a = i < grid ? corners[i % CORNERS] : pick(k->low * scale, k->high * scale, i, is_double);
            double b = i < grid ? corners[i / CORNERS % CORNERS] : pick(k->low_y, k->high_y, i / 4, is_double);
            float fa = (float)a, fb = (float)b;
            if (is_double) fwrite(&a, 8, 1, x), fwrite(&b, 8, 1, y);
            else fwrite(&fa, 4, 1, x), fwrite(&fb, 4, 1, y);
        }
    return ferror(x) || ferror(y);
}

static double next(FILE *f, int is_double)
{
    double d = NAN;
    float s = NAN;
    size_t got = is_double ? fread(&d, 8, 1, f) : fread(&s, 4, 1, f);
    if (!got) {
        fprintf(stderr, "a file is too short\n");
        exit(2);
    }
    return is_double ? d : s;
}

/* The error of our result in units in the last place of the exact value. */
static double error_of(double got, wide exact, int is_double)
{
    int digits = is_double ? DBL_MANT_DIG : FLT_MANT_DIG, least = (is_double ? DBL_MIN_EXP : FLT_MIN_EXP) - digits, e;
    wide most = is_double ? (wide)DBL_MAX : (wide)FLT_MAX;
    if (isnan(exact) || isnan(got)) return isnan(exact) && isnan(got) ? 0 : INFINITY;
    if (exact == (wide)got) return exact == 0 && !signbit(exact) != !signbit(got) ? INFINITY : 0;
    if (isinf(got))
        return fabsl(exact) > most && !signbit(got) == !signbit(exact) ? 0
               : fabsl(exact) > most * (1 - 1e-7L)                     ? 1
                                                                       : INFINITY;
    if (isinf(exact)) return INFINITY;
    frexpl(exact, &e);
    e -= digits;
    if (exact == 0 || e < least) e = least;
    return (double)ldexpl(fabsl((wide)got - exact), -e);
}

static int judge(int is_double, FILE *x, FILE *y, FILE *out, int n)
{
    int bad = 0;
    is_double_run = is_double;
    for (int f = 0; f < FUNCTIONS; f++) {
        const struct function *k = &functions[f];
        double worst = 0, at = 0, at_y = 0, value = 0;
        for (int i = 0; i < n; i++) {
            double a = next(x, is_double), b = next(y, is_double), got = next(out, is_double);
            wide exact = k->one ? k->one(a) : k->two(a, b);
            if (exact == NO_MATTER) continue;
            if (k->allowed[is_double] == 0) exact = is_double ? (wide)(double)exact : (wide)(float)exact;
            if (strstr("fmin fmax min max", k->name) && a == 0 && b == 0) continue; /* either zero is right */
            double error = error_of(got, exact, is_double);
            if (error > worst) worst = error, at = a, at_y = b, value = got;
        }
        int is_good = worst <= k->allowed[is_double] + 1e-9;
        bad += !is_good;
        printf("%s %-16s %8.3f ulp", is_good ? "ok  " : "FAIL", k->name, worst);
        if (worst > 0) printf("  at %.17g", at);
        if (worst > 0 && k->two) printf(", %.17g", at_y);
        if (worst > 0) printf(": %.17g", value);
        putchar('\n');
    }
    return bad != 0;
}

int main(int argc, char **argv)
{
    if (argc < 6) return 2;
    int is_double = !strcmp(argv[2], "f64"), is_make = !strcmp(argv[1], "make");
    if (is_double && LDBL_MANT_DIG <= DBL_MANT_DIG) return 77;
    FILE *x = fopen(argv[3], is_make ? "wb" : "rb"), *y = fopen(argv[4], is_make ? "wb" : "rb");
    FILE *out = is_make ? NULL : fopen(argv[5], "rb");
    if (!x || !y || (!is_make && !out)) return 2;
    int status = is_make ? make(is_double, x, y, atoi(argv[5])) : judge(is_double, x, y, out, atoi(argv[6]));
    fclose(x), fclose(y);
    if (out) fclose(out);
    return status;
}
