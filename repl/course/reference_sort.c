/* reference_sort.c: operations that sort arrays, select from them or count them. There are two
 * sorts: the C library's, which lessons time, and our own radix sort of bytes, which judges. */
#include "reference_sort.h"
#include "list.h"
#include <stdlib.h>
#include <string.h>

#define COMPARE(name, type)                              \
    static int name(const void *a, const void *b)        \
    {                                                    \
        type x = *(const type *)a, y = *(const type *)b; \
        return (x > y) - (x < y);                        \
    }
COMPARE(compare_i8, int8_t)
COMPARE(compare_u8, uint8_t)
COMPARE(compare_i16, int16_t)
COMPARE(compare_u16, uint16_t)
COMPARE(compare_i32, int32_t)
COMPARE(compare_u32, uint32_t)
COMPARE(compare_i64, int64_t)
COMPARE(compare_u64, uint64_t)
COMPARE(compare_f32, float)
COMPARE(compare_f64, double)
#undef COMPARE

/* As a C program does it, and as lessons time it. */
int cpu_library_sorted(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    static int (*const compare[TYPES])(const void *, const void *) = {
        compare_i8,  compare_u8,  compare_i16, compare_u16, compare_i32,
        compare_u32, compare_i64, compare_u64, compare_f32, compare_f64, /* small floats: none */
    };
    (void)args;
    if (!compare[arg->type]) {
        snprintf(why, size, "arrays of %s are not sorted", lesson_types[arg->type].name);
        return -1;
    }
    if (cpu_make(out, arg->type, arg->count, arg->scalar, why, size)) return -1;
    size_t each = (size_t)lesson_types[arg->type].bytes;
    memcpy(out->data, arg->data, (size_t)arg->count * each);
    qsort(out->data, (size_t)out->count, each, compare[arg->type]);
    return 0;
}

/* Sorts integers in ascending order by their bytes, as judging should not take longer than the sort
 * that it judges. `flip` is the sign bit, 0 if there is none. The order of the bits below `low` is right already. */
#define SORT(name, word_type)                                                                              \
    static int name(word_type *word, uint64_t count, word_type flip, unsigned low, char *why, size_t size) \
    {                                                                                                      \
        word_type *other = malloc((size_t)(count ? count : 1) * sizeof *other);                            \
        if (!other) {                                                                                      \
            snprintf(why, size, NO_MEMORY);                                                                \
            return -1;                                                                                     \
        }                                                                                                  \
        word_type *from = word, *to = other, differ = 0;                                                   \
        for (uint64_t i = 0; i < count; i++) differ |= word[i] ^ word[0];                                  \
        for (unsigned shift = low; shift < 8 * sizeof *word; shift += 8) {                                 \
            uint64_t start[257] = {0};                                                                     \
            if (!(differ >> shift & 255)) /* all have the same byte here */                                \
                continue;                                                                                  \
            for (uint64_t i = 0; i < count; i++) start[((from[i] ^ flip) >> shift & 255) + 1]++;           \
            for (int b = 0; b < 256; b++) start[b + 1] += start[b];                                        \
            for (uint64_t i = 0; i < count; i++) to[start[(from[i] ^ flip) >> shift & 255]++] = from[i];   \
            word_type *t = from;                                                                           \
            from = to;                                                                                     \
            to = t;                                                                                        \
        }                                                                                                  \
        if (from != word) memcpy(word, from, (size_t)count * sizeof *word);                                \
        free(other);                                                                                       \
        return 0;                                                                                          \
    }
SORT(sort_32, uint32_t)
SORT(sort_64, uint64_t)
#undef SORT

/* For 32-bit numbers, the most common: keeps those from `least` on. Returns their number. */
static uint64_t keep_32(const cpu_value *arg, uint64_t count, int64_t least, uint32_t *to)
{
    const uint32_t *from = arg->data;
    const int64_t flip = arg->type == TYPE_I32 ? INT64_C(1) << 31 : 0;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        to[kept] = from[i];
        kept += ((int64_t)from[i] ^ flip) - flip >= least;
    }
    return kept;
}

/* Of the first `count` elements, those from `least` on, in ascending order. */
static int sort_some(const cpu_value *arg, uint64_t count, const cpu_value *least, cpu_value *out, char *why,
                     size_t size)
{
    const bool real = cpu_is_float(arg->type), is_32 = arg->type == TYPE_I32 || arg->type == TYPE_U32;
    const enum lesson_type type = real ? TYPE_F64 : is_32 || arg->type == TYPE_U64 ? arg->type : TYPE_I64;
    if (cpu_make(out, type, count, false, why, size)) return -1;
    uint64_t kept = is_32 ? keep_32(arg, count, least ? cpu_integer(least, 0) : INT64_MIN, out->data) : 0;
    for (uint64_t i = 0; i < count && !is_32; i++) {
        if (least && (real ? cpu_number(arg, i) < cpu_number(least, 0) : cpu_integer(arg, i) < cpu_integer(least, 0)))
            continue;
        if (real) cpu_put_number(out, kept++, cpu_number(arg, i));
        else cpu_put_integer(out, kept++, cpu_integer(arg, i));
    }
    out->count = kept;
    int failed = 0;
    if (real) qsort(out->data, (size_t)kept, 8, compare_f64);
    else if (is_32) failed = sort_32(out->data, kept, type == TYPE_I32 ? UINT32_C(1) << 31 : 0, 0, why, size);
    else failed = sort_64(out->data, kept, type == TYPE_I64 ? UINT64_C(1) << 63 : 0, 0, why, size);
    if (failed) cpu_value_free(out);
    return failed;
}

int cpu_sorted(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    return sort_some(arg, arg->count, NULL, out, why, size);
}

/* The elements in the ascending order of their keys; equal keys keep the order of the array. A word has a key above and
 * its place below, and the words come in the order of places. */
int cpu_sorted_by(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    const cpu_value *key = &arg[1];
    const uint64_t count = arg->count;
    if ((key->type != TYPE_U32 && key->type != TYPE_I32) || key->count != count || count > UINT32_MAX) {
        snprintf(why, size, "expected a key of 32 bits for each of the %llu elements", (unsigned long long)count);
        return -1;
    }
    const uint32_t flip = key->type == TYPE_I32 ? UINT32_C(1) << 31 : 0, *keys = key->data;
    const size_t each = (size_t)lesson_types[arg->type].bytes;
    uint64_t *word = malloc((size_t)(count ? count : 1) * sizeof *word);
    if (!word) {
        snprintf(why, size, NO_MEMORY);
        return -1;
    }
    for (uint64_t i = 0; i < count; i++) word[i] = (uint64_t)(keys[i] ^ flip) << 32 | i;
    int failed = sort_64(word, count, 0, 32, why, size) || cpu_make(out, arg->type, count, false, why, size);
    for (uint64_t i = 0; i < count && !failed; i++)
        memcpy((char *)out->data + i * each, (const char *)arg->data + (word[i] & UINT32_MAX) * each, each);
    free(word);
    return failed ? -1 : 0;
}

int cpu_first_sorted(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    int64_t count = cpu_integer(&arg[1], 0);
    if (count < 0 || (uint64_t)count > arg->count) {
        snprintf(why, size, "%lld elements of an array of %llu", (long long)count, (unsigned long long)arg->count);
        return -1;
    }
    return sort_some(arg, (uint64_t)count, NULL, out, why, size);
}

int cpu_kept(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    return sort_some(arg, arg->count, &arg[1], out, why, size);
}

/* Like push_back, in the array's order. */
int cpu_filtered(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    int64_t least = cpu_integer(&arg[1], 0);
    if (arg->type != TYPE_I32) {
        snprintf(why, size, "expected an array of i32");
        return -1;
    }
    if (cpu_make(out, TYPE_I32, arg->count, false, why, size)) return -1;
    const int32_t *from = arg->data;
    int32_t *to = out->data;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < arg->count; i++)
        if (from[i] >= least) to[kept++] = from[i];
    out->count = kept;
    return 0;
}

int cpu_element(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    bool real = cpu_is_float(arg->type);
    int64_t i = cpu_integer(&arg[1], 0);
    if (i < 0 || (uint64_t)i >= arg->count) {
        snprintf(why, size, "element %lld of an array of %llu", (long long)i, (unsigned long long)arg->count);
        return -1;
    }
    if (cpu_make(out, real ? TYPE_F64 : TYPE_I64, 1, true, why, size)) return -1;
    if (real) cpu_put_number(out, 0, cpu_number(arg, (uint64_t)i));
    else cpu_put_integer(out, 0, cpu_integer(arg, (uint64_t)i));
    return 0;
}

/* Sorts each column of rows of c elements in ascending order; the last row may be shorter. */
int cpu_sorted_columns(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    int64_t columns = cpu_integer(&arg[1], 0);
    if (columns < 1 || cpu_is_float(arg->type)) {
        snprintf(why, size, "expected whole numbers in one column or more");
        return -1;
    }
    if (cpu_make(out, TYPE_I64, arg->count, false, why, size)) return -1;
    int64_t *column = malloc((size_t)(arg->count ? arg->count : 1) * sizeof *column);
    if (!column) {
        cpu_value_free(out);
        snprintf(why, size, NO_MEMORY);
        return -1;
    }
    uint64_t width = (uint64_t)columns;
    for (uint64_t c = 0; c < width && c < arg->count; c++) {
        uint64_t rows = 0;
        for (uint64_t i = c; i < arg->count; i += width) column[rows++] = cpu_integer(arg, i);
        qsort(column, (size_t)rows, sizeof *column, compare_i64);
        for (uint64_t k = 0; k < rows; k++) cpu_put_integer(out, c + k * width, column[k]);
    }
    free(column);
    return 0;
}

/* How many elements are 0, 1 ... bins - 1; others are not counted. */
int cpu_histogram(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    int64_t bins = cpu_integer(&arg[1], 0);
    if (bins < 1 || bins > 1 << 24) {
        snprintf(why, size, "expected 1 to 2^24 bins");
        return -1;
    }
    if (cpu_make(out, TYPE_I64, (uint64_t)bins, false, why, size)) return -1;
    memset(out->data, 0, (size_t)bins * 8);
    for (uint64_t i = 0; i < arg->count; i++) {
        int64_t bin = cpu_integer(&arg[0], i);
        if (bin >= 0 && bin < bins) ((int64_t *)out->data)[bin]++;
    }
    return 0;
}

int cpu_greatest(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    bool real = cpu_is_float(arg->type);
    if (cpu_make(out, real ? TYPE_F64 : TYPE_I64, 1, true, why, size)) return -1;
    uint64_t best = 0;
    for (uint64_t i = 1; i < arg->count; i++)
        if (real ? cpu_number(arg, i) > cpu_number(arg, best) : cpu_integer(arg, i) > cpu_integer(arg, best)) best = i;
    if (real) cpu_put_number(out, 0, arg->count ? cpu_number(arg, best) : 0);
    else cpu_put_integer(out, 0, arg->count ? cpu_integer(arg, best) : 0);
    return 0;
}

/* 2x + 1 is odd, so the 32-bit product never becomes 0 and every factor counts. */
int cpu_product_of_odd(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    uint32_t product = 1;
    if (cpu_make(out, TYPE_I64, 1, true, why, size)) return -1;
    for (uint64_t i = 0; i < arg->count; i++) product *= 2 * (uint32_t)cpu_integer(arg, i) + 1;
    cpu_put_integer(out, 0, product);
    return 0;
}

/* The final values of words that started at `start`, after an atomic operation with each x of the
 * array: add, sub, and, or, xor, min, max, inc up to `limit` and dec from it, in 32 bits. Also the
 * sum of all values that pass through a word by exch. None of these depends on the order. */
int cpu_atomic_words(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    uint32_t start = (uint32_t)cpu_integer(&arg[1], 0), limit = (uint32_t)cpu_integer(&arg[2], 0);
    uint32_t w[10];
    for (int k = 0; k < 10; k++) w[k] = start;
    for (uint64_t i = 0; i < arg->count; i++) {
        uint32_t x = (uint32_t)cpu_integer(&arg[0], i);
        w[0] += x;
        w[1] -= x;
        w[2] &= x;
        w[3] |= x;
        w[4] ^= x;
        w[5] = x < w[5] ? x : w[5];
        w[6] = x > w[6] ? x : w[6];
        w[7] = w[7] >= limit ? 0 : w[7] + 1;
        w[8] = w[8] == 0 || w[8] > limit ? limit : w[8] - 1;
        w[9] += x;
    }
    if (cpu_make(out, TYPE_I64, 10, false, why, size)) return -1;
    for (uint64_t k = 0; k < 10; k++) cpu_put_integer(out, k, w[k]);
    return 0;
}
