/* reference_sum.c: sums of many floating-point numbers that are more accurate than what they judge, and as fast.
 *
 * What an addition loses is added up beside it (Neumaier). A long array is cut into pieces, which several threads share; there are always as many, and
 * their sums are added in order, so that the result does not depend on the machine. */
#include "reference_arrays.h"
#include "threads.h"
#include <math.h>

enum { PIECES = 16, WORTH_THREADS = 1 << 20 /* numbers */ };

void accurate_add(accurate *a, double x)
{
    double t = a->sum + x;
    a->lost += fabs(a->sum) >= fabs(x) ? (a->sum - t) + x : (x - t) + a->sum;
    a->sum = t;
}

/* Many floats: a few hundred at a time lose nothing that matters in double (24 bits each, 53 to hold them), and those
 * sums are added with compensation. Eight at once, so that it is not slower than what it judges. */
static accurate sum_of_floats(const float *p, uint64_t count, bool square)
{
    enum { LANES = 8, RUN = 512 };
    accurate a = {0, 0};
    for (uint64_t i = 0; i < count; i += RUN) {
        double lane[LANES] = {0};
        uint64_t n = count - i < RUN ? count - i : RUN, k = 0;
        for (; k + LANES <= n; k += LANES)
            for (int t = 0; t < LANES; t++) {
                double x = p[i + k + (uint64_t)t];
                lane[t] += square ? x * x : x;
            }
        for (; k < n; k++)
            lane[0] += square ? (double)p[i + k] * p[i + k] : p[i + k];
        for (int t = 0; t < LANES; t++)
            accurate_add(&a, lane[t]);
    }
    return a;
}

/* Many doubles: eight compensated sums beside each other, without a branch (what an addition loses follows from four more). */
static accurate sum_of_doubles(const double *p, uint64_t count, bool square)
{
    enum { LANES = 8 };
    double sum[LANES] = {0}, lost[LANES] = {0};
    uint64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int t = 0; t < LANES; t++) {
            const double x = square ? p[i + (uint64_t)t] * p[i + (uint64_t)t] : p[i + (uint64_t)t], s = sum[t], now = s + x, of_x = now - s;
            lost[t] += (s - (now - of_x)) + (x - of_x);
            sum[t] = now;
        }
    accurate a = {0, 0};
    for (int t = 0; t < LANES; t++)
        accurate_add(&a, sum[t]);
    for (int t = 0; t < LANES; t++)
        a.lost += lost[t];
    for (; i < count; i++)
        accurate_add(&a, square ? p[i] * p[i] : p[i]);
    return a;
}

typedef struct share { /* of one thread: every threads-th piece */
    const cpu_value *v;
    bool square;
    int first, threads, pieces;
    accurate *piece;
} share;

static void *add_share(void *arg)
{
    const share *s = arg;
    for (int i = s->first; i < s->pieces; i += s->threads) {
        const uint64_t each = s->v->count / (uint64_t)s->pieces, from = (uint64_t)i * each, count = i + 1 < s->pieces ? each : s->v->count - from;
        s->piece[i] = s->v->type == TYPE_F32 ? sum_of_floats((const float *)s->v->data + from, count, s->square)
                                             : sum_of_doubles((const double *)s->v->data + from, count, s->square);
    }
    return NULL;
}

double cpu_accurate_sum(const cpu_value *v, bool square, int *threads)
{
    const bool many = v->count >= WORTH_THREADS;
    const int n = many ? threads_here() : 1, pieces = many ? PIECES : 1;
    accurate piece[PIECES], all = {0, 0};
    share s[THREADS_MOST];
    for (int i = 0; i < n; i++)
        s[i] = (share){v, square, i, n, pieces, piece};
    *threads = threads_run(add_share, s, sizeof *s, n);
    for (int i = 0; i < pieces; i++) {
        accurate_add(&all, piece[i].sum);
        all.lost += piece[i].lost;
    }
    return all.sum + all.lost;
}
