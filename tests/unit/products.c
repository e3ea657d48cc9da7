/* products.c: `right: c == product(a, b, n) within rounding`. What is right is computed here by the
 * loop of three lines in long double; what is wrong is planted, and must be named. */
#include "course/reference_product.h"
#include "course/small_floats.h"
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static cpu_value matrix(enum lesson_type t, uint64_t count)
{
    cpu_value v = {.type = t, .count = count, .data = calloc((size_t)count + 1, 8)};
    if (!v.data) exit(2);
    return v;
}

static uint32_t drawn = 1;
static double draw(void) { return (double)((drawn = drawn * 1664525u + 1013904223u) >> 8) / 16777216.0; }

typedef struct sizes {
    uint64_t rows, inner, columns;
} sizes;

static double at_b(const cpu_value *b, sizes s, bool by_rows, uint64_t k, uint64_t j)
{
    return cpu_number(b, by_rows ? j * s.inner + k : k * s.columns + j);
}

/* As a plain kernel does it, in float; or, `right`, in long double. */
static double element(const cpu_value *a, const cpu_value *b, sizes s, bool by_rows, uint64_t i, uint64_t j, bool right)
{
    long double exact = 0;
    float sum = 0;
    for (uint64_t k = 0; k < s.inner; k++) {
        exact += (long double)cpu_number(a, i * s.inner + k) * at_b(b, s, by_rows, k, j);
        sum += (float)cpu_number(a, i * s.inner + k) * (float)at_b(b, s, by_rows, k, j);
    }
    return right ? (double)exact : (double)sum;
}

static verdict judged(const cpu_value *a, const cpu_value *b, const cpu_value *c, sizes s, bool by_rows, bool sums)
{
    verdict v;
    char why[200] = "";
    const product_check q = {a, b, c, (int64_t)s.inner, by_rows, 7, sums};
    check(product_judge(&q, &v, why, sizeof why) == 0, why);
    return v;
}

/* Whole numbers from -8 to 8: nothing is rounded, so one unit too many is an error. */
static void whole_numbers(enum lesson_type t, bool by_rows, bool sums)
{
    const sizes s = {37, 53, 29};
    cpu_value a = matrix(t, s.rows * s.inner), b = matrix(t, s.inner * s.columns),
              c = matrix(TYPE_F32, s.rows * s.columns);
    for (uint64_t i = 0; i < a.count; i++) cpu_put_number(&a, i, floor(draw() * 17) - 8);
    for (uint64_t i = 0; i < b.count; i++) cpu_put_number(&b, i, floor(draw() * 17) - 8);
    for (uint64_t i = 0; i < s.rows; i++)
        for (uint64_t j = 0; j < s.columns; j++)
            cpu_put_number(&c, i * s.columns + j, element(&a, &b, s, by_rows, i, j, true));
    verdict v = judged(&a, &b, &c, s, by_rows, sums);
    check(v.correct && v.max_absolute == 0, lesson_types[t].name);
    check(sums ? v.looked == 16 * s.columns : v.looked == 0, "the elements that are compared one by one");
    const uint64_t at = 30 * s.columns + 11;
    const double was = cpu_number(&c, at);
    cpu_put_number(&c, at, was + 1);
    v = judged(&a, &b, &c, s, by_rows, sums);
    check(!v.correct && v.wrong == 1 && v.first == at && v.ours == was + 1 && v.reference == was, "one unit too many");
    cpu_put_number(&c, at, NAN);
    v = judged(&a, &b, &c, s, by_rows, sums);
    check(!v.correct && v.wrong == 1 && v.first == at, "not a number");
    cpu_put_number(&c, at, was);
    for (uint64_t i = 0; i < s.rows; i++) { /* two columns change places: the sum of each row stays */
        const double x = cpu_number(&c, i * s.columns), y = cpu_number(&c, i * s.columns + 1);
        cpu_put_number(&c, i * s.columns, y);
        cpu_put_number(&c, i * s.columns + 1, x);
    }
    v = judged(&a, &b, &c, s, by_rows, sums);
    check(!v.correct && v.first < 2 * s.columns, "columns that changed places");
    free(a.data), free(b.data), free(c.data);
}

/* Numbers that round, added up in float as a plain kernel does. */
static void rounded(enum lesson_type t, enum lesson_type out, bool sums, double error)
{
    const sizes s = {40, 200, 24};
    cpu_value a = matrix(t, s.rows * s.inner), b = matrix(t, s.inner * s.columns), c = matrix(out, s.rows * s.columns);
    for (uint64_t i = 0; i < a.count; i++) cpu_put_number(&a, i, 2 * draw() - 1);
    for (uint64_t i = 0; i < b.count; i++) cpu_put_number(&b, i, exp(8 * draw() - 4));
    for (uint64_t i = 0; i < s.rows; i++)
        for (uint64_t j = 0; j < s.columns; j++)
            cpu_put_number(&c, i * s.columns + j, element(&a, &b, s, true, i, j, false));
    verdict v = judged(&a, &b, &c, s, true, sums);
    check(v.correct && v.of_rounding < 1, "a plain kernel's rounding");
    check(v.of_rounding > 0, "its error is a part of what rounding can do");
    const uint64_t at = 17 * s.columns + 23;
    cpu_put_number(&c, at, element(&a, &b, s, true, 17, 23, true) + error);
    v = judged(&a, &b, &c, s, true, sums);
    check(!v.correct && v.wrong == 1 && v.first == at, "an error beyond rounding");
    free(a.data), free(b.data), free(c.data);
}

/* 1 * 1 + 2^-30 * 1. The lengths are sqrt(1 + 2^-60) and sqrt 2; the bound is 2 * 2^-23 * sqrt 2 = 3.37e-7. */
static void bound(void)
{
    const sizes s = {1, 2, 1};
    cpu_value a = matrix(TYPE_F32, 2), b = matrix(TYPE_F32, 2), c = matrix(TYPE_F32, 1);
    cpu_put_number(&a, 0, 1);
    cpu_put_number(&a, 1, 0x1p-30);
    cpu_put_number(&b, 0, 1);
    cpu_put_number(&b, 1, 1);
    cpu_put_number(&c, 0, 1);
    check(judged(&a, &b, &c, s, false, false).correct, "what is lost at the end of a float");
    cpu_put_number(&c, 0, 1 + 0x1p-22); /* 2.4e-7 */
    check(judged(&a, &b, &c, s, false, false).correct, "below the bound");
    cpu_put_number(&c, 0, 1 + 0x1p-21); /* 4.8e-7 */
    check(!judged(&a, &b, &c, s, false, false).correct, "above the bound");
    free(a.data), free(b.data), free(c.data);
}

static void mistakes(void)
{
    verdict v;
    char why[200] = "";
    cpu_value a = matrix(TYPE_F16, 6), b = matrix(TYPE_F16, 6), c = matrix(TYPE_F32, 4), d = matrix(TYPE_F64, 6);
    product_check q = {.a = &a, .b = &b, .ours = &c, .inner = 4};
    check(product_judge(&q, &v, why, sizeof why) == PRODUCT_MISTAKE, "6 elements in rows of 4");
    q.inner = 3;
    check(product_judge(&q, &v, why, sizeof why) == 0 && v.correct, "zeros");
    q.inner = 2;
    check(product_judge(&q, &v, why, sizeof why) == 0 && !v.correct && v.message[0], "9 elements, and 4 are there");
    q.inner = 3;
    q.a = &d;
    check(product_judge(&q, &v, why, sizeof why) == PRODUCT_MISTAKE, "f64 is more exact than the reference");
    q.a = &a;
    cpu_put_number(&a, 1, INFINITY);
    check(product_judge(&q, &v, why, sizeof why) == PRODUCT_MISTAKE, "an infinite input");
    free(a.data), free(b.data), free(c.data), free(d.data);
}

/* products N: how long a product of N x N takes to judge, for people. */
static int timed(uint64_t n)
{
    const sizes s = {n, n, n};
    struct timespec from, to;
    cpu_value a = matrix(TYPE_BF16, n * n), b = matrix(TYPE_BF16, n * n), c = matrix(TYPE_F32, n * n);
    for (uint64_t i = 0; i < n; i++) {
        cpu_put_number(&a, i * n + i, 1); /* the unit matrix: the product is b, turned */
        for (uint64_t j = 0; j < n; j++) {
            cpu_put_number(&b, i * n + j, floor(draw() * 9) - 4);
            cpu_put_number(&c, j * n + i, cpu_number(&b, i * n + j));
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &from);
    const verdict v = judged(&a, &b, &c, s, true, false);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%d, %.2f s\n", v.correct, (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9);
    return 0;
}

int main(int argc, char **argv)
{
    static const enum lesson_type types[] = {TYPE_F16, TYPE_BF16, TYPE_TF32, TYPE_F32, TYPE_E4M3, TYPE_E5M2};
    if (argc > 1) return timed(strtoull(argv[1], NULL, 10));
    for (int i = 0; i < 4; i++)
        for (int how = 0; how < 4; how++) whole_numbers(types[i], how & 1, how & 2);
    for (int i = 0; i < 4; i++)
        for (int how = 0; how < 2; how++) {
            rounded(types[i], TYPE_F32, how, 20);
            rounded(types[i], TYPE_BF16, how, 200);
        }
    for (int how = 0; how < 2; how++) rounded(TYPE_E4M3, TYPE_F32, how, 1e4); /* 14 bits */
    bound();
    mistakes();
    return check_end();
}
