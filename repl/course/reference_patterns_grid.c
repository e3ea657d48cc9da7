/* reference_patterns_grid.c: operations on arrays that are grids, rows or many small matrices, for the
 * patterns of lesson 9. Lengths and indices come from lessons: none may lead outside an array. */
#include "reference_arrays.h"
#include <math.h>

static int refuse(char *why, size_t size, const char *message)
{
    snprintf(why, size, "%s", message);
    return -1;
}

/* Whether the array is made of whole rows of so many elements. */
static bool made_of(const cpu_value *v, int64_t width) { return width >= 1 && v->count % (uint64_t)width == 0; }

int cpu_transposed(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    const int64_t columns = cpu_integer(&arg[1], 0);
    if (!made_of(&arg[0], columns)) return refuse(why, size, "the array is not made of such rows");
    if (cpu_make(out, arg[0].type, arg[0].count, false, why, size)) return -1;
    const uint64_t width = (uint64_t)columns, rows = arg[0].count / width;
    const bool real = cpu_is_float(arg[0].type);
    enum { PIECE = 32 }; /* in tiles: columns of a large matrix miss the cache of this computer too */
    for (uint64_t y0 = 0; y0 < rows; y0 += PIECE)
        for (uint64_t x0 = 0; x0 < width; x0 += PIECE)
            for (uint64_t y = y0; y < rows && y < y0 + PIECE; y++)
                for (uint64_t x = x0; x < width && x < x0 + PIECE; x++)
                    if (real) cpu_put_number(out, x * rows + y, cpu_number(&arg[0], y * width + x));
                    else cpu_put_integer(out, x * rows + y, cpu_integer(&arg[0], y * width + x));
    return 0;
}

/* centre times each element, and arm times the sum of those up to `radius` away along each axis. */
int cpu_stencil(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    const int64_t columns = cpu_integer(&arg[1], 0), rows = cpu_integer(&arg[2], 0), radius = cpu_integer(&arg[3], 0);
    const double centre = cpu_number(&arg[4], 0), arm = cpu_number(&arg[5], 0);
    if (!made_of(&arg[0], columns) || rows < 1 || arg[0].count / (uint64_t)columns % (uint64_t)rows)
        return refuse(why, size, "the array is not made of such planes");
    if (radius < 0 || radius > 4096) return refuse(why, size, "the radius is out of range");
    if (cpu_make(out, TYPE_F64, arg[0].count, false, why, size)) return -1;
    const uint64_t extent[3] = {(uint64_t)columns, (uint64_t)rows, arg[0].count / (uint64_t)columns / (uint64_t)rows};
    for (uint64_t i = 0; i < out->count; i++) {
        double sum = 0;
        for (uint64_t axis = 0, apart = 1; axis < 3; apart *= extent[axis++]) {
            const uint64_t at = i / apart % extent[axis];
            for (uint64_t k = 1; k <= (uint64_t)radius; k++) {
                if (k <= at) sum += cpu_number(&arg[0], i - k * apart);
                if (at + k < extent[axis]) sum += cpu_number(&arg[0], i + k * apart);
            }
        }
        cpu_put_number(out, i, centre * cpu_number(&arg[0], i) + arm * sum);
    }
    return 0;
}

/* Of groups of `group` matrices the first elements lie side by side, then the second ones, and so on; vectors and
 * results too. A group of 1: one matrix after another. */
int cpu_small_products(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    const int64_t given = cpu_integer(&arg[2], 0), together = cpu_integer(&arg[3], 0);
    if (given < 1 || given > 64 || !made_of(&arg[1], given) || arg[0].count / (uint64_t)given != arg[1].count ||
        !made_of(&arg[0], given) || together < 1 || arg[1].count / (uint64_t)given % (uint64_t)together)
        return refuse(why, size, "the arrays are not such matrices and as many vectors, in whole groups");
    if (cpu_make(out, TYPE_F64, arg[1].count, false, why, size)) return -1;
    const uint64_t side = (uint64_t)given, group = (uint64_t)together;
    for (uint64_t p = 0; p < out->count / side; p++) {
        const uint64_t first = p / group * group, lane = p % group; /* of the group, in matrices */
        for (uint64_t row = 0; row < side; row++) {
            double sum = 0;
            for (uint64_t k = 0; k < side; k++)
                sum += cpu_number(&arg[0], first * side * side + (row * side + k) * group + lane) *
                       cpu_number(&arg[1], first * side + k * group + lane);
            cpu_put_number(out, first * side + row * group + lane, sum);
        }
    }
    return 0;
}

int cpu_softmax(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    const int64_t columns = cpu_integer(&arg[1], 0);
    if (!made_of(&arg[0], columns)) return refuse(why, size, "the array is not made of such rows");
    if (cpu_make(out, TYPE_F64, arg[0].count, false, why, size)) return -1;
    for (uint64_t row = 0; row < arg[0].count; row += (uint64_t)columns) {
        double most = -INFINITY, sum = 0;
        for (uint64_t i = row; i < row + (uint64_t)columns; i++) most = fmax(most, cpu_number(&arg[0], i));
        for (uint64_t i = row; i < row + (uint64_t)columns; i++) {
            const double e = exp(cpu_number(&arg[0], i) - most);
            sum += e;
            cpu_put_number(out, i, e);
        }
        for (uint64_t i = row; i < row + (uint64_t)columns; i++) cpu_put_number(out, i, cpu_number(out, i) / sum);
    }
    return 0;
}
