/* small_floats.c: f16, bf16, tf32, e4m3 and e5m2. Bits of known numbers are from IEEE 754 and the
 * OCP's paper on floats of 8 bits. Rounding is held to its definition: between two neighbours what is
 * nearer wins, and the even one in the middle. */
#include "course/reference_arrays.h"
#include "course/small_floats.h"
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool bits(bool good, const char *what, double x, uint32_t got, uint32_t wanted)
{
    return check_that(good, "%s: %.17g is 0x%x, not 0x%x", what, x, got, wanted);
}

static const struct known {
    enum lesson_type type;
    double x;
    uint32_t bits;
    double back;
} known[] = {
    {TYPE_F16, 1, 0x3c00, 1},
    {TYPE_F16, -2, 0xc000, -2},
    {TYPE_F16, 65504, 0x7bff, 65504},
    {TYPE_F16, 65519.99, 0x7bff, 65504},
    {TYPE_F16, 65520, 0x7c00, INFINITY},
    {TYPE_F16, 0x1p-24, 1, 0x1p-24},
    {TYPE_F16, 0x1p-25, 0, 0}, /* half of the smallest: 0 is even */
    {TYPE_F16, 0x1.8p-25, 1, 0x1p-24},
    {TYPE_F16, 1e-300, 0, 0},
    {TYPE_F16, 0x1p-14, 0x400, 0x1p-14},
    {TYPE_F16, -INFINITY, 0xfc00, -INFINITY},
    {TYPE_BF16, 1, 0x3f80, 1},
    {TYPE_BF16, 3.140625, 0x4049, 3.140625},
    {TYPE_BF16, 0x1p-133, 1, 0x1p-133},
    {TYPE_BF16, 1e300, 0x7f80, INFINITY},
    {TYPE_TF32, 1, 0x3f800000, 1},
    {TYPE_TF32, 1 + 0x1p-10, 0x3f802000, 1 + 0x1p-10},
    {TYPE_TF32, 1 + 0x1p-11, 0x3f800000, 1},
    {TYPE_TF32, -1e300, 0xff800000, -INFINITY},
    {TYPE_E4M3, 1, 0x38, 1},
    {TYPE_E4M3, 448, 0x7e, 448},
    {TYPE_E4M3, 1e9, 0x7e, 448}, /* as by cvt.rn.satfinite */
    {TYPE_E4M3, -INFINITY, 0xfe, -448},
    {TYPE_E4M3, 0x1p-9, 1, 0x1p-9},
    {TYPE_E4M3, 0x1p-6, 8, 0x1p-6},
    {TYPE_E5M2, 1, 0x3c, 1},
    {TYPE_E5M2, 57344, 0x7b, 57344},
    {TYPE_E5M2, 70000, 0x7b, 57344},
    {TYPE_E5M2, 0x1p-16, 1, 0x1p-16},
};

/* Every number of the type, and what lies between it and the next. */
static void neighbours(enum lesson_type t)
{
    const float_format *f = float_format_of(t);
    const char *name = lesson_types[t].name;
    const uint32_t step = t == TYPE_TF32 ? 61 : 1; /* of 2^18 enough are tried */
    bool good = true;
    for (uint32_t k = 0; k < f->largest && good; k += step) {
        const uint32_t here = k << f->unused, next = (k + 1) << f->unused, even = k % 2 ? next : here;
        const uint32_t sign = 1u << (8 * lesson_types[t].bytes - 1);
        const double a = float_unpack(f, here), b = float_unpack(f, next), middle = a + (b - a) / 2;
        const double below = nextafter(middle, 0), above = nextafter(middle, b);
        const struct {
            double x;
            uint32_t bits;
        } list[] = {{a, here}, {middle, even}, {below, here}, {above, next}, {-above, next | sign}};
        if (!(b > a)) good = bits(false, name, b, next, here);
        for (size_t i = 0; i < sizeof list / sizeof *list && good; i++) {
            const uint32_t got = float_pack(f, list[i].x);
            if (got != list[i].bits) good = bits(false, name, list[i].x, got, list[i].bits);
        }
    }
    if (good) check_that(true, "%s: each number, and what lies between two", name);
    const uint32_t odd = float_pack(f, NAN);
    bits(isnan(float_unpack(f, odd)), name, NAN, odd, f->nan << f->unused);
}

/* What the elements of arrays read and write. */
static void elements(enum lesson_type t)
{
    unsigned char data[16] = {0};
    cpu_value v = {.type = t, .count = 4, .data = data};
    cpu_put_number(&v, 1, -1.5);
    cpu_put_integer(&v, 2, 3);
    bits(cpu_number(&v, 0) == 0 && cpu_number(&v, 1) == -1.5 && cpu_integer(&v, 2) == 3 && cpu_number(&v, 3) == 0,
         lesson_types[t].name, cpu_number(&v, 1), 0, 0);
}

int main(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct known *k = &known[i];
        const float_format *f = float_format_of(k->type);
        bits(float_pack(f, k->x) == k->bits, lesson_types[k->type].name, k->x, float_pack(f, k->x), k->bits);
        bits(float_unpack(f, k->bits) == k->back, lesson_types[k->type].name, float_unpack(f, k->bits), k->bits, 0);
    }
    for (int t = TYPE_F16; t <= TYPE_E5M2; t++) {
        neighbours((enum lesson_type)t);
        elements((enum lesson_type)t);
    }
    bits(isinf(float_unpack(float_format_of(TYPE_E5M2), 0x7c)), "e5m2", INFINITY, 0x7c, 0x7c);
    bits(float_format_of(TYPE_F32) == NULL, "f32 is C's own", 0, 0, 0);
    /* the last bit of 1: 2^-10 for f16, 2^-7 for bf16, 2^-3 for e4m3; of f16's subnormals 2^-24 */
    bits(float_last_bit(TYPE_F16, 1) == 0x1p-10 && float_last_bit(TYPE_BF16, 1.5) == 0x1p-7 &&
             float_last_bit(TYPE_E4M3, 1) == 0x1p-3 && float_last_bit(TYPE_F16, 1e-7) == 0x1p-24 &&
             float_last_bit(TYPE_F32, 1) == 0x1p-23,
         "the last bit", float_last_bit(TYPE_F16, 1e-7), 0, 0);
    return check_end();
}
