/* reference_sort.h: operations that sort arrays, select from them or count them, for reference.c's
 * table. */
#ifndef REFERENCE_SORT_H
#define REFERENCE_SORT_H

#include "reference_arrays.h"

#define OPERATION(name) int cpu_##name(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size);
OPERATION(element)
OPERATION(sorted)
OPERATION(library_sorted)
OPERATION(sorted_by)
OPERATION(first_sorted)
OPERATION(sorted_columns)
OPERATION(kept)
OPERATION(filtered)
OPERATION(histogram)
OPERATION(greatest)
OPERATION(product_of_odd)
OPERATION(atomic_words)
#undef OPERATION

#endif
