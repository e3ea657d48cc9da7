/* reference_product.h: products of matrices, and whether a kernel's is right within what rounding can
 * do (`within rounding`). */
#ifndef REFERENCE_PRODUCT_H
#define REFERENCE_PRODUCT_H

#include "reference_arrays.h"

/* Doubles of `count` elements from `from` on. */
void cpu_numbers(const cpu_value *v, uint64_t from, uint64_t count, double *out);
/* Are these matrices that can be multiplied, the second by its columns or its rows? Else `why` says
 * why not. */
bool product_shape(const cpu_value *a, const cpu_value *b, int64_t inner, char *why, size_t size);
/* Rows of floats times a matrix, in double. False: no memory. */
bool product_exact(const float *a, uint64_t rows, const cpu_value *b, uint64_t inner, bool by_rows, double *out);

/* Beyond so many multiplications or elements a product is not computed again: every row is checked by
 * random sums. */
enum { PRODUCT_SUMS = 16 };
#define PRODUCT_WHOLE_WORK     (UINT64_C(1) << 31)
#define PRODUCT_WHOLE_ELEMENTS (UINT64_C(1) << 24)

typedef struct product_check {
    const cpu_value *a, *b, *ours;
    int64_t inner;
    bool by_rows;  /* element i, j is row i of a times row j of b */
    uint64_t seed; /* of the random sums */
    bool sums;     /* by random sums, however small it is: for tests */
} product_check;
/* 0; else `why` says why it cannot be judged: PRODUCT_MISTAKE of the lesson, or PRODUCT_SHORTAGE of memory. */
enum { PRODUCT_MISTAKE = 1, PRODUCT_SHORTAGE };
int product_judge(const product_check *q, verdict *out, char *why, size_t size);

#endif
