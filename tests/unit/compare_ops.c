/* compare_ops.c: setp and set with every type and comparison, against references that compare C
 * doubles and integers. */
#include "ops.h"

enum { EQ, NE, LT, LE, GT, GE, LO, LS, HI, HS, EQU, NEU, LTU, LEU, GTU, GEU, NUM, ISNAN, COMPARISONS };
static const char *const names[COMPARISONS] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                               "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

/* aux: the comparison. aux2: bits 0-1 are none, and, or, xor; bit 2: !c; bit 3: wants q; bit 4:
 * .ftz; bits 8 up: set's true value. */
enum { INVERTED_C = 4, FTZ = 16, TRUE_AT = 8 };

static bool ordered(int how, bool less, bool equal, bool more, bool nan)
{
    switch (how) {
    case EQ: return equal;
    case NE: return !nan && !equal;
    case LT:
    case LO: return less;
    case LE:
    case LS: return less || equal;
    case GT:
    case HI: return more;
    case GE:
    case HS: return more || equal;
    case EQU: return nan || equal;
    case NEU: return nan || !equal;
    case LTU: return nan || less;
    case LEU: return nan || less || equal;
    case GTU: return nan || more;
    case GEU: return nan || more || equal;
    case NUM: return !nan;
    default: return nan;
    }
}
static bool compare_ints(int how, uint64_t a, uint64_t b, int bits, bool sign)
{
    bool less = sign ? as_signed(a, bits) < as_signed(b, bits) : cut(a, bits) < cut(b, bits);
    bool equal = cut(a, bits) == cut(b, bits);
    return ordered(how, less, equal, !less && !equal, false);
}

/* The value of a float whose format has these widths of exponent and mantissa. */
static double value_of(uint64_t v, int exponent_bits, int mantissa_bits, bool ftz, bool *nan)
{
    int width = 1 + exponent_bits + mantissa_bits;
    uint64_t mantissa = cut(v, mantissa_bits), exponent = cut(v >> mantissa_bits, exponent_bits),
             most = (UINT64_C(1) << exponent_bits) - 1;
    bool negative = v >> (width - 1) & 1;
    double x;
    *nan = exponent == most && mantissa;
    if (exponent_bits == 11) {
        memcpy(&x, &v, 8);
        return x;
    }
    int bias = (int)(most >> 1), power;
    double scale = 1;
    if (exponent == most) return negative ? -1e300 : 1e300;
    if (exponent == 0 && ftz) return 0;
    x = (double)mantissa;
    if (exponent) x += (double)(UINT64_C(1) << mantissa_bits);
    power = (int)(exponent ? exponent : 1) - bias - mantissa_bits;
    for (; power > 0; power--) scale *= 2;
    for (; power < 0; power++) scale /= 2;
    x *= scale;
    return negative ? -x : x;
}
static bool compare_floats(int how, uint64_t a, uint64_t b, int exponent_bits, int mantissa_bits, bool ftz)
{
    bool na, nb;
    double x = value_of(a, exponent_bits, mantissa_bits, ftz, &na),
           y = value_of(b, exponent_bits, mantissa_bits, ftz, &nb);
    bool nan = na || nb;
    return ordered(how, !nan && x < y, !nan && x == y, !nan && x > y, nan);
}
static bool combined(const op_test *t, bool word, uint64_t c)
{
    bool with = (c & 1) != ((t->aux2 & INVERTED_C) != 0);
    switch (t->aux2 & 3) {
    case 1: return word && with;
    case 2: return word || with;
    case 3: return word != with;
    default: return word;
    }
}
/* bits: the width of an integer; for a float, 1000 x exponent bits + mantissa bits */
static bool compare(const op_test *t, uint64_t a, uint64_t b)
{
    if (t->bits < 1000) return compare_ints(t->aux, a, b, t->bits, t->sign);
    return compare_floats(t->aux, a, b, t->bits / 1000, t->bits % 1000, t->aux2 & FTZ);
}
static uint64_t ref_setp(const op_test *t, const op_in *x, uint64_t *second)
{
    bool word = compare(t, x->a, x->b);
    *second = combined(t, !word, x->c);
    return combined(t, word, x->c);
}
static uint64_t ref_setp_pair(const op_test *t, const op_in *x, uint64_t *second)
{
    *second = combined(t, compare(t, x->a >> 16 & 0xffff, x->b >> 16 & 0xffff), x->c);
    return combined(t, compare(t, x->a & 0xffff, x->b & 0xffff), x->c);
}
static uint64_t true_value(const op_test *t)
{
    static const uint32_t values[] = {0xffffffff, 0x3f800000, 0x3c00, 0x3f80, 0x3c003c00, 0x3f803f80};
    return values[t->aux2 >> TRUE_AT & 7];
}
static uint64_t ref_set(const op_test *t, const op_in *x, uint64_t *second)
{
    (void)second;
    return combined(t, compare(t, x->a, x->b), x->c) ? true_value(t) : 0;
}
static uint64_t ref_set_pair(const op_test *t, const op_in *x, uint64_t *second)
{
    (void)second;
    uint64_t lo = combined(t, compare(t, x->a & 0xffff, x->b & 0xffff), x->c) ? true_value(t) & 0xffff : 0;
    uint64_t hi =
        combined(t, compare(t, x->a >> 16 & 0xffff, x->b >> 16 & 0xffff), x->c) ? true_value(t) & 0xffff0000 : 0;
    return lo | hi;
}

typedef struct compared {
    const char *name;
    char w, kind;
    int bits;
    bool sign, pair;
    const char *has; /* its comparisons: pairs of first and last, from 'A' */
    int set_types;   /* a bit per dtype of `sets` that it goes with */
} compared;
static const struct {
    const char *name;
    char w;
    int value;
} sets[] = {{"u32", 'w', 0},   {"s32", 'w', 0},    {"f32", 'w', 1}, {"f16", 'h', 2}, {"bf16", 'h', 3},
            {"f16x2", 'w', 4}, {"bf16x2", 'w', 5}, {"u16", 'h', 0}, {"s16", 'h', 0}};
#define PLAIN 0x1f
static const compared kinds[] = {
    {"b16", 'h', 'i', 16, false, false, "AB", PLAIN},         {"b32", 'w', 'i', 32, false, false, "AB", PLAIN},
    {"b64", 'd', 'i', 64, false, false, "AB", PLAIN},         {"u16", 'h', 'i', 16, false, false, "AJ", PLAIN},
    {"u32", 'w', 'i', 32, false, false, "AJ", PLAIN},         {"u64", 'd', 'i', 64, false, false, "AJ", PLAIN},
    {"s16", 'h', 'i', 16, true, false, "AF", PLAIN},          {"s32", 'w', 'i', 32, true, false, "AF", PLAIN},
    {"s64", 'd', 'i', 64, true, false, "AF", PLAIN},          {"f32", 'w', 'f', 8023, false, false, "AFKR", PLAIN},
    {"ftz.f32", 'w', 'f', 8023, false, false, "AFKR", PLAIN}, {"f64", 'd', 'g', 11052, false, false, "AFKR", PLAIN},
    {"f16", 'h', 'k', 5010, false, false, "AFKR", 0x18b},     {"ftz.f16", 'h', 'k', 5010, false, false, "AFKR", 0x18b},
    {"bf16", 'h', 'j', 8007, false, false, "AFKR", 0x193},    {"f16x2", 'w', 'k', 5010, false, true, "AFKR", 0x23},
    {"ftz.f16x2", 'w', 'k', 5010, false, true, "AFKR", 0x23}, {"bf16x2", 'w', 'j', 8007, false, true, "AFKR", 0x43}};

int main(void)
{
    static const char *const bools[] = {"", ".and", ".or", ".xor"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int how = 0; how < COMPARISONS; how++) {
            const compared *y = &kinds[k];
            bool has = false;
            for (const char *h = y->has; *h; h += 2) has |= how >= h[0] - 'A' && how <= h[1] - 'A';
            if (!has) continue;
            bool ftz = !strncmp(y->name, "ftz.", 4);
            const char *type = ftz ? y->name + 4 : y->name;
            for (int form = 0; form < 9; form++) { /* 0 p; 1 p|q; 2-4 bool op; 5-7 with p|q and !c; 8 set */
                int boolean = form >= 2 && form < 5 ? form - 1 : form >= 5 && form < 8 ? form - 4 : 0;
                bool two = form == 1 || (form >= 5 && form < 8) || y->pair;
                if (form == 8 || (y->pair && form == 0) || ((how + form) % 3 && boolean)) continue;
                char w[] = {'p', y->w, y->w, boolean ? 'p' : 0, 0}, in[] = {y->kind, y->kind, boolean ? 'i' : 0, 0};
                op_test *t = add_test(w, in, y->pair ? ref_setp_pair : ref_setp, "setp.%s%s%s.%s $d%s,$a,$b%s;",
                                      names[how], bools[boolean], ftz ? ".ftz" : "", type, two ? "|$q" : "",
                                      boolean ? form >= 5 ? ",!$c" : ",$c" : "");
                t->second = two ? 'p' : 0;
                t->bits = y->bits, t->sign = y->sign, t->aux = how;
                t->aux2 = boolean | (form >= 5 && boolean ? INVERTED_C : 0) | (ftz ? FTZ : 0);
            }
            for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
                if (!(y->set_types >> s & 1)) continue;
                int boolean = (how + (int)s) % 4;
                char w[] = {sets[s].w, y->w, y->w, boolean ? 'p' : 0, 0},
                     in[] = {y->kind, y->kind, boolean ? 'i' : 0, 0};
                op_test *t = add_test(w, in, y->pair ? ref_set_pair : ref_set, "set.%s%s%s.%s.%s $d,$a,$b%s;",
                                      names[how], bools[boolean], ftz ? ".ftz" : "", sets[s].name, type,
                                      boolean ? how & 1 ? ",!$c" : ",$c" : "");
                t->bits = y->bits, t->sign = y->sign, t->aux = how;
                t->aux2 = boolean | (boolean && how & 1 ? INVERTED_C : 0) | (ftz ? FTZ : 0) | sets[s].value << TRUE_AT;
            }
        }
    return run_tests();
}
