/* patterns_grid.c: the references of lesson 9 about grids, rows and small matrices, against numbers
 * worked out by hand, and their refusal of arrays that do not fit. */
#include "run/step.h"
#include "check.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The operation on floats `a` (and `b`, when there is one), followed by numbers. */
static int compute(const char *name, cpu_value *out, const cpu_value *a, const cpu_value *b, int numbers, ...)
{
    double number[6] = {0};
    cpu_value arg[8];
    int args = 0;
    char why[160];
    va_list list;
    va_start(list, numbers);
    for (int i = 0; i < numbers; i++) number[i] = va_arg(list, double);
    va_end(list);
    arg[args++] = *a;
    if (b) arg[args++] = *b;
    for (int i = 0; i < numbers; i++) arg[args++] = (cpu_value){TYPE_F64, 1, true, &number[i], 0};
    memset(out, 0, sizeof *out);
    for (const cpu_operation *op = cpu_operations; op->name; op++)
        if (!strcmp(op->name, name)) {
            why[0] = 0;
            const int refused = op->compute(arg, args, out, why, sizeof why);
            if (refused) check(why[0] != 0, "a refusal says why");
            return refused;
        }
    check(false, name);
    return -1;
}

static void is(const char *what, cpu_value *out, int refused, int count, const double *want, double within)
{
    bool good = !refused && out->count == (uint64_t)count;
    for (int i = 0; good && i < count; i++) good = fabs(cpu_number(out, (uint64_t)i) - want[i]) <= within;
    check(good, what);
    cpu_value_free(out);
}

int main(void)
{
    float x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    cpu_value six = {TYPE_F32, 6, false, x, 0}, eight = {TYPE_F32, 8, false, x, 0}, none = {TYPE_F32, 0, false, x, 0};
    cpu_value out;
    int r;

    /* 1 2 3 / 4 5 6 becomes 1 4 / 2 5 / 3 6 */
    r = compute("transposed", &out, &six, NULL, 1, 3.0);
    is("transposed", &out, r, 6, (double[]){1, 4, 2, 5, 3, 6}, 0);
    r = compute("transposed", &out, &none, NULL, 1, 3.0);
    is("transposed nothing", &out, r, 0, NULL, 0);
    check(compute("transposed", &out, &six, NULL, 1, 4.0) == -1, "rows of 4 of 6 elements");
    check(compute("transposed", &out, &six, NULL, 1, 0.0) == -1, "rows of nothing");
    check(compute("transposed", &out, &six, NULL, 1, -3.0) == -1, "rows of less than nothing");
    int64_t top = INT64_MIN + 1;
    cpu_value word = {TYPE_I64, 1, false, &top, 0};
    r = compute("transposed", &out, &word, NULL, 1, 1.0);
    check(!r && cpu_integer(&out, 0) == top, "transposed words keep every bit");
    cpu_value_free(&out);

    /* One dimension, two neighbours on either side: 1+2+3, 1+2+3+4, 1+...+5, 2+...+6, 3+...+6, 4+5+6 */
    r = compute("stencil", &out, &six, NULL, 5, 6.0, 1.0, 2.0, 1.0, 1.0);
    is("stencil in a line", &out, r, 6, (double[]){6, 10, 15, 20, 18, 15}, 0);
    /* 1 2 3 / 4 5 6: neighbours of 1 are 2 and 4, of 2 are 1, 3 and 5 ...; times 10, and the element itself */
    r = compute("stencil", &out, &six, NULL, 5, 3.0, 2.0, 1.0, 1.0, 10.0);
    is("stencil in a plane", &out, r, 6, (double[]){61, 92, 83, 64, 125, 86}, 0);
    /* a cube of 1 2 / 3 4 and 5 6 / 7 8: of 1 the neighbours are 2, 3 and 5, of 8 they are 7, 6 and 4 */
    r = compute("stencil", &out, &eight, NULL, 5, 2.0, 2.0, 1.0, 0.0, 1.0);
    is("stencil in a cube", &out, r, 8, (double[]){10, 11, 12, 13, 14, 15, 16, 17}, 0);
    check(compute("stencil", &out, &six, NULL, 5, 3.0, 4.0, 1.0, 1.0, 1.0) == -1, "planes that are not whole");
    check(compute("stencil", &out, &six, NULL, 5, 6.0, 1.0, 1e9, 1.0, 1.0) == -1, "a radius without bounds");
    check(compute("stencil", &out, &six, NULL, 5, 6.0, 1.0, -1.0, 1.0, 1.0) == -1, "a radius below 0");

    /* 1 2 / 3 4 times (1, 2) is (5, 11); 5 6 / 7 8 times (3, 4) is (39, 53) */
    cpu_value vectors = {TYPE_F32, 4, false, x, 0};
    r = compute("small_products", &out, &eight, &vectors, 2, 2.0, 1.0);
    is("small products", &out, r, 4, (double[]){5, 11, 39, 53}, 0);
    /* interleaved: the matrices are 1 3 / 5 7 and 2 4 / 6 8, the vectors (1, 3) and (2, 4) */
    r = compute("small_products", &out, &eight, &vectors, 2, 2.0, 2.0);
    is("interleaved products", &out, r, 4, (double[]){10, 20, 26, 44}, 0);
    check(compute("small_products", &out, &eight, &vectors, 2, 2.0, 3.0) == -1, "groups that are not whole");
    check(compute("small_products", &out, &six, &vectors, 2, 2.0, 1.0) == -1, "matrices for other vectors");
    check(compute("small_products", &out, &eight, &vectors, 2, 0.0, 1.0) == -1, "matrices of nothing");

    /* equal numbers share; and 1000 and 1000 - ln 3 have 3/4 and 1/4 though e^1000 is no double */
    float rows[] = {7, 7, 7, 7}, large[] = {1000, 1000 - 1.0986123f, -1000, -1000};
    cpu_value equal = {TYPE_F32, 4, false, rows, 0}, far = {TYPE_F32, 4, false, large, 0};
    r = compute("softmax", &out, &equal, NULL, 1, 4.0);
    is("softmax of equals", &out, r, 4, (double[]){0.25, 0.25, 0.25, 0.25}, 1e-15);
    r = compute("softmax", &out, &far, NULL, 1, 2.0);
    is("softmax of large numbers", &out, r, 4, (double[]){0.75, 0.25, 0.5, 0.5}, 1e-4);
    check(compute("softmax", &out, &equal, NULL, 1, 3.0) == -1, "a softmax of rows that are not whole");

    return check_end();
}
