/* small_floats.c: f16, bf16, tf32, e4m3 and e5m2 from and to double.
 *
 * tf32 has the 8 exponent bits of a float and 10 bits of its mantissa; an element is a float whose
 * low 13 bits are 0, so a tensor core that cuts or rounds its inputs changes nothing. e4m3 has no
 * infinity; a number too large for one of the two types of 8 bits becomes its largest, as the only
 * conversion that PTX has for them (cvt.rn.satfinite) does. */
#include "small_floats.h"
#include <math.h>
#include <string.h>

static const float_format formats[TYPES] = {
    [TYPE_F16] = {5, 10, 15, 0x7bff, 0x7c00, 0x7fff, 0},
    [TYPE_BF16] = {8, 7, 127, 0x7f7f, 0x7f80, 0x7fff, 0},
    [TYPE_TF32] = {8, 10, 127, 0x3fbff, 0x3fc00, 0x3ffff, 13},
    [TYPE_E4M3] = {4, 3, 7, 0x7e, 0x7e, 0x7f, 0},
    [TYPE_E5M2] = {5, 2, 15, 0x7b, 0x7b, 0x7f, 0},
};

const float_format *float_format_of(enum lesson_type t) { return formats[t].exponent ? &formats[t] : NULL; }

uint32_t float_pack(const float_format *f, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = (uint32_t)(bits >> 63) << (f->exponent + f->mantissa);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int power = (int)(bits >> 52 & 0x7ff) - 1023, least = 1 - f->bias; /* of the smallest normal number */
    uint64_t out;
    if (power == 1024) {
        out = fraction ? f->nan : f->overflow;
    } else if (power < least - f->mantissa - 1) { /* below half of the smallest number */
        out = 0;
    } else {
        const int cut = 52 - f->mantissa + (power < least ? least - power : 0); /* at most 53 */
        const uint64_t number = fraction | UINT64_C(1) << 52, half = UINT64_C(1) << (cut - 1);
        const uint64_t rest = number & (2 * half - 1);
        uint64_t kept = number >> cut;
        kept += rest > half || (rest == half && (kept & 1));
        /* the leading one of a normal number adds one to its exponent */
        out = kept + (power < least ? 0 : (uint64_t)(power - least) << f->mantissa);
        if (out > f->largest) out = f->overflow;
    }
    return (sign | (uint32_t)out) << f->unused;
}

double float_unpack(const float_format *f, uint32_t bits)
{
    bits >>= f->unused;
    const uint32_t fraction = bits & ((1u << f->mantissa) - 1), all = bits & ((1u << (f->exponent + f->mantissa)) - 1);
    const int field = (int)(all >> f->mantissa);
    double x;
    if (field == 0) {
        x = ldexp(fraction, 1 - f->bias - f->mantissa);
    } else if (all > f->largest) {
        x = f->overflow == all && all != f->largest ? INFINITY : NAN;
        if (f->mantissa == 2 && all == f->largest + 1) x = INFINITY; /* e5m2 has one, though no number becomes it */
    } else {
        const uint64_t wide = (uint64_t)(field - f->bias + 1023) << 52 | (uint64_t)fraction << (52 - f->mantissa);
        memcpy(&x, &wide, sizeof x);
    }
    return bits >> (f->exponent + f->mantissa) & 1 ? -x : x;
}

int float_precision(enum lesson_type t)
{
    return t == TYPE_F64 ? 53 : t == TYPE_F32 ? 24 : formats[t].exponent ? formats[t].mantissa + 1 : 0;
}

double float_last_bit(enum lesson_type t, double x)
{
    const float_format *f = float_format_of(t);
    const int least = t == TYPE_F64 ? -1022 : f ? 1 - f->bias : -126; /* the power of the smallest normal number */
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int power = (int)(bits >> 52 & 0x7ff) - 1023; /* of 0 less than any */
    return ldexp(1, (power < least ? least : power) + 1 - float_precision(t));
}
