/* reference_sum.c: sums of many floating-point numbers, more accurate than the sums they judge, and
 * as fast.
 *
 * The rounding error of each addition is summed separately (Neumaier). A long array is divided into
 * pieces, which several threads share. The number of pieces is constant and their sums are added in
 * order, so the result does not depend on the machine. */
#include "reference_arrays.h"
#include "shell/threads.h"
#include <math.h>
#include <string.h>

enum { PIECES = 16, WORTH_THREADS = 1 << 20 /* numbers */ };

void accurate_add(accurate *a, double x)
{
    double t = a->sum + x;
    a->lost += fabs(a->sum) >= fabs(x) ? (a->sum - t) + x : (x - t) + a->sum;
    a->sum = t;
}

/* Eight numbers are added at once, to separate sums, to hide the latency of additions: four vectors
 * of two if the compiler has vectors, else single numbers, four at once. */
#if defined(__GNUC__)
typedef double some __attribute__((vector_size(16), aligned(8), may_alias));
typedef float some_floats __attribute__((vector_size(8), aligned(4), may_alias));
#define AS_DOUBLES(x) __builtin_convertvector(x, some)
#else
typedef double some;
typedef float some_floats;
#define AS_DOUBLES(x) ((double)(x))
#endif
enum { EACH = sizeof(some) / sizeof(double), LANES = 4 * EACH };
#define FOUR_TIMES(X) X(0) X(1) X(2) X(3)

/* Many floats. A sum of a few hundred in double loses nothing that matters (24 bits each, and 53 to
 * hold them). Those sums are added with compensation. */
static accurate sum_of_floats(const float *p, uint64_t count, bool square)
{
    enum { RUN = 512 };
    accurate a = {0, 0};
    for (uint64_t i = 0; i < count; i += RUN) {
        double lane[LANES];
        some sum[4] = {{0}};
        uint64_t n = count - i < RUN ? count - i : RUN, k = 0;
        for (; k + LANES <= n; k += LANES) {
            const some_floats *from = (const some_floats *)(const void *)(p + i + k);
#define ADD(t)                        \
    {                                 \
        some x = AS_DOUBLES(from[t]); \
        if (square) x *= x;           \
        sum[t] += x;                  \
    }
            FOUR_TIMES(ADD)
#undef ADD
        }
        memcpy(lane, sum, sizeof lane);
        for (; k < n; k++) lane[0] += square ? (double)p[i + k] * p[i + k] : p[i + k];
        for (int t = 0; t < LANES; t++) accurate_add(&a, lane[t]);
    }
    return a;
}

/* Many doubles: several compensated sums at once, without a branch (four more additions give the
 * rounding error of one). */
static accurate sum_of_doubles(const double *p, uint64_t count, bool square)
{
    some sum[4] = {{0}}, lost[4] = {{0}};
    double lane[2][LANES];
    uint64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const some *from = (const some *)(const void *)(p + i);
#define ADD(t)                                                             \
    {                                                                      \
        some x = from[t];                                                  \
        if (square) x *= x;                                                \
        const some before = sum[t], now = before + x, of_x = now - before; \
        lost[t] += (before - (now - of_x)) + (x - of_x);                   \
        sum[t] = now;                                                      \
    }
        FOUR_TIMES(ADD)
#undef ADD
    }
    memcpy(lane[0], sum, sizeof lane[0]);
    memcpy(lane[1], lost, sizeof lane[1]);
    accurate a = {0, 0};
    for (int t = 0; t < LANES; t++) accurate_add(&a, lane[0][t]);
    for (int t = 0; t < LANES; t++) a.lost += lane[1][t];
    for (; i < count; i++) accurate_add(&a, square ? p[i] * p[i] : p[i]);
    return a;
}

/* one thread's part: every threads-th piece */
typedef struct share {
    const cpu_value *v;
    bool square;
    int first, threads, pieces;
    accurate *piece;
} share;

/* of small floats */
static accurate sum_of_numbers(const cpu_value *v, uint64_t from, uint64_t count, bool square)
{
    accurate sum = {0, 0};
    for (uint64_t i = from; i < from + count; i++) {
        const double x = cpu_number(v, i);
        accurate_add(&sum, square ? x * x : x);
    }
    return sum;
}

static void *add_share(void *arg)
{
    const share *s = arg;
    for (int i = s->first; i < s->pieces; i += s->threads) {
        const uint64_t each = s->v->count / (uint64_t)s->pieces, from = (uint64_t)i * each,
                       count = i + 1 < s->pieces ? each : s->v->count - from;
        s->piece[i] = s->v->type == TYPE_F32   ? sum_of_floats((const float *)s->v->data + from, count, s->square)
                      : s->v->type == TYPE_F64 ? sum_of_doubles((const double *)s->v->data + from, count, s->square)
                                               : sum_of_numbers(s->v, from, count, s->square);
    }
    return NULL;
}

double cpu_accurate_sum(const cpu_value *v, bool square, int *threads)
{
    const bool many = v->count >= WORTH_THREADS;
    const int n = many ? threads_here() : 1, pieces = many ? PIECES : 1;
    accurate piece[PIECES], all = {0, 0};
    share s[THREADS_MOST];
    for (int i = 0; i < n; i++) s[i] = (share){v, square, i, n, pieces, piece};
    *threads = threads_run(add_share, s, sizeof *s, n);
    for (int i = 0; i < pieces; i++) {
        accurate_add(&all, piece[i].sum);
        all.lost += piece[i].lost;
    }
    return all.sum + all.lost;
}
