/* reference_arrays.h: operations from arrays to arrays, for reference.c's table. All have the type
 * of its `compute`. */
#ifndef REFERENCE_ARRAYS_H
#define REFERENCE_ARRAYS_H

#include "reference.h"

/* For operations: memory for `count` elements, and writing one element, rounded to the array's
 * type. */
int cpu_make(cpu_value *out, enum lesson_type type, uint64_t count, bool scalar, char *why, size_t size);
void cpu_put_number(cpu_value *v, uint64_t i, double x);
void cpu_put_integer(cpu_value *v, uint64_t i, int64_t x);
bool cpu_is_float(enum lesson_type t);

/* ---- reference_sum.c ---- */
/* the exact sum is close to sum + lost */
typedef struct accurate {
    double sum, lost;
} accurate;
void accurate_add(accurate *a, double x);
double cpu_accurate_sum(const cpu_value *v, bool square, int *threads); /* of f32 or f64; *threads: that worked on it */

#define OPERATION(name) int cpu_##name(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size);
OPERATION(repeated)
OPERATION(every)
OPERATION(row_sums)
OPERATION(lcg)
OPERATION(interpolated)
OPERATION(product) /* reference_product.c, with the one that follows */
OPERATION(row_products)
OPERATION(prefix_sums) /* reference_scan.c, with those that follow */
OPERATION(first_elements)
OPERATION(segment_sums)
OPERATION(sparse_product)
OPERATION(transposed) /* reference_patterns_grid.c, with those that follow */
OPERATION(stencil)
OPERATION(small_products)
OPERATION(softmax)
#undef OPERATION

/* reference_scan.c */
void fill_offsets(cpu_value *v, fill_stream *s, int64_t m, double x);
void fill_skewed_offsets(cpu_value *v, fill_stream *s, int64_t m, double x);

#endif
