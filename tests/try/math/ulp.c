/* ulp.c: judges the device header's functions against the host's, in wider types.
 *
 *     ulp make f32|f64 X Y N          writes N inputs a function to the files X and Y
 *     ulp judge f32|f64 X Y OUT N     reads what the kernel made of them and prints the largest error of each function
 *
 * An error is counted in units of the last place of the exact result. float is judged by the host's double functions,
 * double by its long double ones (refused where those are no wider). Inputs: many random ones over each function's
 * range, and all the corners.
 */
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
static wide f_nextafter(wide x, wide y) { return is_double_run ? nextafter((double)x, (double)y) : nextafterf((float)x, (float)y); }
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

/* Which inputs: from low to high evenly ('u') or evenly in the exponent, with both signs ('e'). */
static const struct function {
    const char *name;
    wide (*one)(wide);
    wide (*two)(wide, wide);
    double low, high, low_y, high_y;
    double allowed[2]; /* float, double; the numbers that the header states */
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
    case 0: return (uniform() < 0.5 ? -1 : 1) * exp2((uniform() * 2 - 1) * range);  /* any magnitude */
    case 1: return (uniform() < 0.5 ? -1 : 1) * exp2(-12 * uniform());              /* small */
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
            if (is_double)
                fwrite(&a, 8, 1, x), fwrite(&b, 8, 1, y);
            else
                fwrite(&fa, 4, 1, x), fwrite(&fb, 4, 1, y);
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

/* Units of the last place between what we got and the exact value. */
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
            if (!is_double && (f >= 25 || f == 24)) exact = (float)exact; /* exact functions */
            if ((f == 30 || f == 31) && a == 0 && b == 0) continue;        /* either zero will do */
            double error = error_of(got, exact, is_double);
            if (error > worst) worst = error, at = a, at_y = b, value = got;
        }
        int is_good = worst <= k->allowed[is_double] + 1e-9;
        bad += !is_good;
        printf("%s %-6s %8.3f ulp", is_good ? "ok  " : "FAIL", k->name, worst);
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
