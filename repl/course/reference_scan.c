/* reference_scan.c: operations on the parts of an array: sums up to each element, sums of segments,
 * and the product of a sparse matrix; and the fills that cut an array into segments. Offsets and
 * columns come from lessons: none may lead outside an array. */
#include "reference_arrays.h"

#include <stdlib.h>
#include <string.h>

static int refuse(char *why, size_t size, const char *message)
{
    snprintf(why, size, "%s", message);
    return -1;
}

/* Sums of integers wrap in the array's own type, as the card's do; sums of floats are in double. */
int cpu_prefix_sums(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    const bool real = cpu_is_float(arg->type);
    const uint64_t count = arg->count;
    const int64_t width = args > 1 ? cpu_integer(&arg[1], 0) : INT64_MAX;
    if (width < 1) return refuse(why, size, "the width is out of range");
    if (cpu_make(out, real ? TYPE_F64 : arg->type, count, arg->scalar, why, size)) return -1;
    accurate a = {0, 0};
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i % (uint64_t)width == 0) {
            a = (accurate){0, 0};
            sum = 0;
        }
        if (real) {
            accurate_add(&a, cpu_number(arg, i));
            cpu_put_number(out, i, a.sum + a.lost);
        } else {
            sum += (uint64_t)cpu_integer(arg, i);
            cpu_put_integer(out, i, (int64_t)sum);
        }
    }
    return 0;
}

int cpu_first_elements(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    const int64_t count = cpu_integer(&arg[1], 0);
    if (count < 0 || (uint64_t)count > arg->count) return refuse(why, size, "the array has fewer elements than that");
    if (cpu_make(out, arg->type, (uint64_t)count, false, why, size)) return -1;
    memcpy(out->data, arg->data, (size_t)count * (size_t)lesson_types[arg->type].bytes);
    return 0;
}

/* Offsets must rise, and end within `count` elements. */
static bool fits(const cpu_value *offsets, uint64_t count)
{
    int64_t last = 0;
    for (uint64_t i = 0; i < offsets->count; i++) {
        const int64_t here = cpu_integer(offsets, i);
        if (here < last || (uint64_t)here > count) return false;
        last = here;
    }
    return offsets->count > 0;
}

int cpu_segment_sums(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    const bool real = cpu_is_float(arg->type);
    if (!fits(&arg[1], arg->count)) return refuse(why, size, "the offsets do not rise from 0 to the array's length");
    if (cpu_make(out, real ? TYPE_F64 : arg->type, arg[1].count - 1, false, why, size)) return -1;
    for (uint64_t s = 0; s < out->count; s++) {
        const uint64_t end = (uint64_t)cpu_integer(&arg[1], s + 1);
        accurate a = {0, 0};
        uint64_t sum = 0;
        for (uint64_t i = (uint64_t)cpu_integer(&arg[1], s); i < end; i++)
            if (real) accurate_add(&a, cpu_number(arg, i));
            else sum += (uint64_t)cpu_integer(arg, i);
        if (real) cpu_put_number(out, s, a.sum + a.lost);
        else cpu_put_integer(out, s, (int64_t)sum);
    }
    return 0;
}

int cpu_sparse_product(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    const cpu_value *offsets = &arg[0], *columns = &arg[1], *values = &arg[2], *x = &arg[3];
    if (columns->count != values->count) return refuse(why, size, "there must be a column for each value");
    if (!fits(offsets, values->count)) return refuse(why, size, "the offsets do not rise from 0 to the array's length");
    for (uint64_t i = 0; i < columns->count; i++) {
        const int64_t c = cpu_integer(columns, i);
        if (c < 0 || (uint64_t)c >= x->count) return refuse(why, size, "a column lies outside the vector");
    }
    if (cpu_make(out, TYPE_F64, offsets->count - 1, false, why, size)) return -1;
    for (uint64_t row = 0; row < out->count; row++) {
        const uint64_t end = (uint64_t)cpu_integer(offsets, row + 1);
        accurate a = {0, 0};
        for (uint64_t i = (uint64_t)cpu_integer(offsets, row); i < end; i++)
            accurate_add(&a, cpu_number(values, i) * cpu_number(x, (uint64_t)cpu_integer(columns, i)));
        cpu_put_number(out, row, a.sum + a.lost);
    }
    return 0;
}

/* ---- offsets of segments ---- */

/* a * b / c, where a is at most c, without overflow while c is below 2^32 */
static uint64_t share(uint64_t a, uint64_t b, uint64_t c) { return b / c * a + b % c * a / c; }

/* From 0 to m. All segments have about as many elements: from none to twice the average. */
void fill_offsets(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)x;
    const uint64_t parts = v->count - 1, all = m > 0 ? (uint64_t)m : 0;
    for (uint64_t i = 0; i < v->count; i++) {
        uint64_t at = i && i < parts ? share(i, all, parts) : i ? all : 0;
        if (i && i < parts) {
            const uint64_t next = share(i + 1, all, parts);
            if (next > at) at += (uint64_t)rand_glibc_next(&s->glibc) % (next - at);
        }
        cpu_put_integer(v, i, (int64_t)at);
    }
}

/* From 0 to m. In random order, one segment has a share of 1, another of 1/2, of 1/3 ... */
void fill_skewed_offsets(cpu_value *v, fill_stream *s, int64_t m, double x)
{
    (void)x;
    const uint64_t parts = v->count - 1, all = m > 0 ? (uint64_t)m : 0;
    uint64_t sum = 0, before = 0;
    if (!v->count) return;
    cpu_put_integer(v, parts, (int64_t)all);
    for (uint64_t i = 0; i < parts; i++) { /* the shares, in units of 2^-24, and a place for each */
        sum += (UINT64_C(1) << 24) / (i + 1);
        cpu_put_integer(v, i, (int64_t)i);
    }
    for (uint64_t i = parts; i > 1; i--) {
        const uint64_t k = (uint64_t)rand_glibc_next(&s->glibc) % i;
        const int64_t a = cpu_integer(v, i - 1);
        cpu_put_integer(v, i - 1, cpu_integer(v, k));
        cpu_put_integer(v, k, a);
    }
    for (uint64_t i = 0; i < parts; i++) {
        const uint64_t each = (UINT64_C(1) << 24) / ((uint64_t)cpu_integer(v, i) + 1);
        cpu_put_integer(v, i, (int64_t)share(before, all, sum));
        before += each;
    }
}
