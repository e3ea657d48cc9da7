/* small_floats.h: floats of fewer bits than C has, as tensor cores multiply them. */
#ifndef SMALL_FLOATS_H
#define SMALL_FLOATS_H

#include "lesson.h"

/* How a type's bits are used. All have a sign, and subnormal numbers. */
typedef struct float_format {
    int exponent, mantissa; /* bits */
    int bias;
    uint32_t largest;  /* bits of its largest number */
    uint32_t overflow; /* bits of what a larger one becomes: infinity, or the largest */
    uint32_t nan;
    int unused; /* low bits of an element that are zero: of tf32, which is kept as a float */
} float_format;

/* NULL: the type is none of these. */
const float_format *float_format_of(enum lesson_type t);
/* To the nearest, ties to the even one. */
uint32_t float_pack(const float_format *f, double x);
double float_unpack(const float_format *f, uint32_t bits);
/* The bits of a number's significand, with the leading one; 0: not a float. */
int float_precision(enum lesson_type t);
/* The value of the last bit of a number of the type near x. */
double float_last_bit(enum lesson_type t, double x);

#endif
