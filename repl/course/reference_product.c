/* reference_product.c: the product of two matrices, fast enough to judge a product of 4096 x 4096.
 *
 * Each element is a sum in double, in the order of k, rounded once to float: the same on every
 * machine, whatever its vector width and the number of threads. TALL rows and a strip of columns
 * keep their sums in registers while k runs over the whole strip. The strip is packed, in double.
 * Threads share the rows. */
#include "reference_product.h"
#include "small_floats.h"
#include "shell/threads.h"
#include "list.h"
#include <stdlib.h>
#include <string.h>

enum { TALL = 4, STRIP_MOST = 24 };

/* TALL rows of a times a strip of three vectors. */
typedef void tile_fn(const float *a, uint64_t inner, const double *strip, double *out);

#if defined(__GNUC__)
#define FOR_ROWS(X) X(0) X(1) X(2) X(3)
#define SUMS(r)     several s##r##0 = {0}, s##r##1 = {0}, s##r##2 = {0};
#define ADD(r)                                                               \
    {                                                                        \
        const double x = a[(r)*inner + k];                                   \
        s##r##0 += x * row[0], s##r##1 += x * row[1], s##r##2 += x * row[2]; \
    }
#define PUT(r) to[3 * (r)] = s##r##0, to[3 * (r) + 1] = s##r##1, to[3 * (r) + 2] = s##r##2;
#define TILE_FN(name, lanes)                                                                     \
    static void name(const float *a, uint64_t inner, const double *strip, double *out)           \
    {                                                                                            \
        typedef double several __attribute__((vector_size(8 * (lanes)), aligned(8), may_alias)); \
        const several *row = (const several *)(const void *)strip;                               \
        several *to = (several *)(void *)out;                                                    \
        FOR_ROWS(SUMS)                                                                           \
        for (uint64_t k = 0; k < inner; k++, row += 3) { FOR_ROWS(ADD) }                         \
        FOR_ROWS(PUT)                                                                            \
    }
TILE_FN(tile_2, 2)
#if defined(__x86_64__)
__attribute__((target("avx2"))) TILE_FN(tile_4, 4) __attribute__((target("avx512f"))) TILE_FN(tile_8, 8)
#endif
#else
static void tile_2(const float *a, uint64_t inner, const double *strip, double *out)
{
    double sum[TALL][6] = {{0}};
    for (uint64_t k = 0; k < inner; k++, strip += 6)
        for (uint64_t i = 0; i < TALL; i++)
            for (int t = 0; t < 6; t++) sum[i][t] += a[i * inner + k] * strip[t];
    memcpy(out, sum, sizeof sum);
}
#endif

    /* Doubles of `count` elements from `from` on. */
    void cpu_numbers(const cpu_value *v, uint64_t from, uint64_t count, double *out)
{
    if (v->type == TYPE_F32 || v->type == TYPE_TF32) {
        const float *p = (const float *)v->data + from;
        for (uint64_t i = 0; i < count; i++) out[i] = p[i];
    } else if (v->type == TYPE_BF16) { /* the upper half of a float */
        const uint16_t *p = (const uint16_t *)v->data + from;
        for (uint64_t i = 0; i < count; i++) {
            const uint32_t bits = (uint32_t)p[i] << 16;
            float f;
            memcpy(&f, &bits, sizeof f);
            out[i] = f;
        }
    } else {
        for (uint64_t i = 0; i < count; i++) out[i] = cpu_number(v, from + i);
    }
}

typedef struct product {
    const float *a;
    const cpu_value *b;
    bool by_rows; /* b's rows are multiplied, not its columns */
    float *c;
    double *exact; /* or these, not rounded to float */
    uint64_t inner, columns;
    tile_fn *tile;
    uint64_t wide; /* columns per strip */
} product;

/* one thread's part */
typedef struct share {
    const product *p;
    uint64_t from, to; /* rows */
    double *strip;
    float *rows; /* the last rows, padded with zeros to TALL */
} share;

/* Columns j to j + wide - 1 of the second matrix, side by side. */
static void pack(const product *p, uint64_t j, uint64_t wide, double *strip)
{
    memset(strip, 0, p->inner * p->wide * sizeof *strip);
    if (!p->by_rows) {
        for (uint64_t k = 0; k < p->inner; k++) cpu_numbers(p->b, k * p->columns + j, wide, strip + k * p->wide);
        return;
    }
    enum { SOME = 512 };
    double some[SOME];
    for (uint64_t t = 0; t < wide; t++)
        for (uint64_t k = 0, n; k < p->inner; k += n) {
            n = p->inner - k < SOME ? p->inner - k : SOME;
            cpu_numbers(p->b, (j + t) * p->inner + k, n, some);
            for (uint64_t i = 0; i < n; i++) strip[(k + i) * p->wide + t] = some[i];
        }
}

static void *multiply(void *arg)
{
    const share *s = arg;
    const product *p = s->p;
    double out[TALL * STRIP_MOST];
    uint64_t whole = s->from + (s->to - s->from) / TALL * TALL;
    memset(s->rows, 0, TALL * p->inner * sizeof *s->rows);
    memcpy(s->rows, p->a + whole * p->inner, (s->to - whole) * p->inner * sizeof *s->rows);
    for (uint64_t j = 0; j < p->columns && s->from < s->to; j += p->wide) {
        uint64_t wide = p->columns - j < p->wide ? p->columns - j : p->wide;
        pack(p, j, wide, s->strip);
        for (uint64_t i = s->from; i < s->to; i += TALL) {
            p->tile(i < whole ? p->a + i * p->inner : s->rows, p->inner, s->strip, out);
            for (uint64_t r = 0; r < TALL && i + r < s->to; r++)
                for (uint64_t t = 0; t < wide; t++) {
                    const uint64_t at = (i + r) * p->columns + j + t;
                    if (p->exact) p->exact[at] = out[r * p->wide + t];
                    else p->c[at] = (float)out[r * p->wide + t];
                }
        }
    }
    return NULL;
}

static void choose_tile(product *p)
{
    p->tile = tile_2;
    p->wide = 6;
#if defined(__GNUC__) && defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        p->tile = tile_8;
        p->wide = 24;
    } else if (__builtin_cpu_supports("avx2")) {
        p->tile = tile_4;
        p->wide = 12;
    }
#endif
}

/* A small product uses one thread, as starting a thread costs some ten microseconds. */
static int threads_for(const product *p, uint64_t rows)
{
    double operations = (double)rows * (double)p->inner * (double)p->columns;
    return operations < 4e6 ? 1 : threads_here();
}

/* Returns the number of threads; 0: no memory. */
static int run(product *p, uint64_t rows)
{
    share s[THREADS_MOST];
    bool room = true;
    int n = threads_for(p, rows), used = 0;
    choose_tile(p);
    uint64_t each = (rows / (uint64_t)n + TALL) / TALL * TALL;
    for (int i = 0; i < n; i++) {
        uint64_t from = (uint64_t)i * each < rows ? (uint64_t)i * each : rows,
                 to = rows - from < each ? rows : from + each;
        s[i] =
            (share){p, from, to, malloc(p->inner * p->wide * sizeof(double)), malloc(TALL * p->inner * sizeof(float))};
        room = room && s[i].strip && s[i].rows;
    }
    if (room) used = threads_run(multiply, s, sizeof *s, n);
    for (int i = 0; i < n; i++) {
        free(s[i].strip);
        free(s[i].rows);
    }
    return used;
}

bool product_shape(const cpu_value *a, const cpu_value *b, int64_t inner, char *why, size_t size)
{
    const int least = 1, most = 24; /* bits: all of them fit a float */
    const int of_a = float_precision(a->type), of_b = float_precision(b->type);
    if (inner > 0 && a->count % (uint64_t)inner == 0 && b->count % (uint64_t)inner == 0 && of_a >= least &&
        of_a <= most && of_b >= least && of_b <= most)
        return true;
    snprintf(why, size, "expected two matrices of floats of up to 32 bits, with %lld columns and rows",
             (long long)inner);
    return false;
}

bool product_exact(const float *a, uint64_t rows, const cpu_value *b, uint64_t inner, bool by_rows, double *out)
{
    product p = {.a = a, .b = b, .by_rows = by_rows, .exact = out, .inner = inner, .columns = b->count / inner};
    return run(&p, rows) > 0;
}

static int multiplied(const cpu_value *arg, bool by_rows, cpu_value *out, char *why, size_t size)
{
    int64_t given = cpu_integer(&arg[2], 0);
    if (!product_shape(&arg[0], &arg[1], given, why, size)) return -1;
    const uint64_t inner = (uint64_t)given, rows = arg[0].count / inner, columns = arg[1].count / inner;
    const bool as_it_is = arg[0].type == TYPE_F32 || arg[0].type == TYPE_TF32;
    float *copy = as_it_is ? NULL : malloc((size_t)arg[0].count * sizeof *copy);
    if (!as_it_is && !copy) {
        snprintf(why, size, NO_MEMORY);
        return -1;
    }
    for (uint64_t i = 0; copy && i < arg[0].count; i++) copy[i] = (float)cpu_number(&arg[0], i);
    if (cpu_make(out, TYPE_F32, rows * columns, false, why, size)) {
        free(copy);
        return -1;
    }
    product p = {.a = copy ? copy : arg[0].data,
                 .b = &arg[1],
                 .by_rows = by_rows,
                 .c = out->data,
                 .inner = inner,
                 .columns = columns};
    out->threads = run(&p, rows);
    free(copy);
    if (out->threads) return 0;
    cpu_value_free(out);
    snprintf(why, size, NO_MEMORY);
    return -1;
}

int cpu_product(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    return multiplied(arg, false, out, why, size);
}

int cpu_row_products(const cpu_value *arg, int args, cpu_value *out, char *why, size_t size)
{
    (void)args;
    return multiplied(arg, true, out, why, size);
}
