/* reference_arrays.c: operations that move or combine elements of arrays. Lengths and indices come
 * from lessons: none may lead outside an array. */
#include "reference_arrays.h"
#include <math.h>

enum { MOST = 1 << 28 };

static int refuse(char *why, size_t size, const char *message)
{
    snprintf(why, size, "%s", message);
    return -1;
}

int cpu_repeated(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    int64_t n = cpu_integer(&arg[1], 0);
    if (n < 1 || n > MOST) return refuse(why, size, "the length is out of range");
    if (cpu_make(out, arg[0].type == TYPE_F64 ? TYPE_F64 : TYPE_I64, (uint64_t)n, false, why, size)) return -1;
    for (int64_t i = 0; i < n; i++) cpu_put_number(out, (uint64_t)i, cpu_number(&arg[0], 0));
    return 0;
}

/* Every stride-th element, or group of `width` elements. */
int cpu_every(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    uint64_t stride = (uint64_t)cpu_integer(&arg[1], 0), offset = (uint64_t)cpu_integer(&arg[2], 0);
    int64_t n = cpu_integer(&arg[3], 0), width = args > 4 ? cpu_integer(&arg[4], 0) : 1;
    if (n < 1 || n > MOST || stride > MOST || offset > MOST || !arg[0].count || width < 1 || width > 16)
        return refuse(why, size, "the stride, offset, length or width is out of range");
    const uint64_t groups = arg[0].count / (uint64_t)width, w = (uint64_t)width;
    if (!groups) return refuse(why, size, "the array has no whole group");
    if (cpu_make(out, TYPE_F64, (uint64_t)n * w, false, why, size)) return -1;
    for (uint64_t i = 0; i < (uint64_t)n; i++)
        for (uint64_t k = 0; k < w; k++)
            cpu_put_number(out, i * w + k, cpu_number(&arg[0], (offset + i * stride) % groups * w + k));
    return 0;
}

int cpu_row_sums(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    int64_t width = cpu_integer(&arg[1], 0), used = cpu_integer(&arg[2], 0);
    if (width < 1 || used < 0 || used > width || arg[0].count % (uint64_t)width)
        return refuse(why, size, "the array is not made of such rows");
    if (cpu_make(out, TYPE_F64, arg[0].count / (uint64_t)width, false, why, size)) return -1;
    for (uint64_t i = 0; i < out->count; i++) {
        double sum = 0;
        for (uint64_t k = 0; k < (uint64_t)used; k++) sum += cpu_number(&arg[0], i * (uint64_t)width + k);
        cpu_put_number(out, i, sum);
    }
    return 0;
}

/* Each element after `rounds` rounds of x = 1664525 x + 1013904223, in 32 bits: no round can begin
 * before the one before it is done. The loop is plain, since a lesson times it. */
int cpu_lcg(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    int64_t rounds = cpu_integer(&arg[1], 0);
    if (arg[0].type != TYPE_U32 && arg[0].type != TYPE_I32)
        return refuse(why, size, "the array is not of 32-bit integers");
    if (rounds < 0 || rounds > MOST || arg[0].count > (UINT64_C(1) << 32) / ((uint64_t)rounds + 1))
        return refuse(why, size, "the number of rounds is out of range");
    if (cpu_make(out, arg[0].type, arg[0].count, arg[0].scalar, why, size)) return -1;
    for (uint64_t i = 0; i < arg[0].count; i++) {
        uint32_t x = (uint32_t)cpu_integer(&arg[0], i);
        for (int64_t k = 0; k < rounds; k++) x = x * UINT32_C(1664525) + UINT32_C(1013904223);
        cpu_put_integer(out, i, (int64_t)x);
    }
    return 0;
}

int cpu_interpolated(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    if (!arg[0].count) return refuse(why, size, "there is nothing to interpolate between");
    if (cpu_make(out, TYPE_F64, arg[1].count, false, why, size)) return -1;
    for (uint64_t i = 0; i < out->count; i++) {
        double at = cpu_number(&arg[1], i), low = floor(at), last = (double)(arg[0].count - 1);
        uint64_t k = (uint64_t)fmin(fmax(low, 0), last), next = (uint64_t)fmin(fmax(low + 1, 0), last);
        double a = cpu_number(&arg[0], k), b = cpu_number(&arg[0], next);
        cpu_put_number(out, i, a + (at - low) * (b - a));
    }
    return 0;
}
