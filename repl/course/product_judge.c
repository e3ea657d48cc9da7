/* product_judge.c: is a kernel's product of two matrices right, within what rounding can do?
 *
 * What rounding can do. A product of two inputs of at most 12 bits has at most 24 bits: it is exact. A
 * tensor core adds a group of g >= 4 such products to its accumulator at once. It shifts them to the
 * largest exponent of the group, keeps at least one bit more than a float has, and cuts the rest: each
 * of the g + 1 numbers loses less than 2^-24 of the largest magnitude M; then the sum is cut to a
 * float, which loses less than 2^-23 of it. Per product that is at most (1.25 + 2 / 4) * 2^-24 M, less
 * than 2^-23 M. Plain code that rounds products and sums of floats to the nearest loses at most
 * 2 * 2^-24 M. No M exceeds the sum of all |a[i][k] * b[k][j]|, and that does not exceed the product
 * of the lengths (2-norms) of row i and column j. So an element of K terms is off by less than
 *
 *     bound(i, j) = K * 2^-23 * |a[i]| * |b[j]|
 *
 * For inputs of 8 bits, tensor cores of compute 8.9 and 9.0 keep about 14 bits of the aligned sum
 * (DeepSeek-AI, DeepSeek-V3 Technical Report, 2024, section 3.3.2): 2^-12 takes the place of 2^-23. An output
 * narrower than a float is rounded once more, by at most half of its last bit.
 *
 * Where all inputs are multiples of a power of two and every partial sum is a whole number of such
 * products that the accumulator can hold, nothing is rounded, in whatever order: the bound is 0.
 *
 * A large product is checked after Freivalds. With r random, each element 1 or -1, the sums C r and
 * A (B r) are compared, a row at a time, for 16 such r. A row with one wrong element differs in all of
 * them; errors that cancel in one of them do so in all 16 once in 65536 times. Rounding errors e of a
 * row add up to a random sum of them: more than 8 times their 2-norm has a chance of 2 exp(-32), below
 * 1e-13. So a row is suspicious beyond 8 * K * 2^-23 * |a[i]| * |B|, |B| of all elements. Suspicious
 * rows, and some others, are then computed and compared element by element, with bound(i, j). */
#include "reference_product.h"
#include "small_floats.h"
#include "shell/threads.h"
#include "list.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { V = PRODUCT_SUMS, LOOKED = 16 /* suspicious rows that are computed, and others */, SOME = 512 };

/* What all elements of a matrix have in common. */
typedef struct facts {
    double most; /* magnitude */
    double unit; /* a power of two of which all are multiples; 0: all are zero */
    double per;  /* 1 / unit */
    bool finite;
} facts;

/* Of V sums at once. add: to += x[0] r[0] + x[1] r[1] ...; spread: to[0] += x[0] r, to[1] += x[1] r ... */
typedef void sums_fn(double *to, const double *x, const double *r, uint64_t count);

typedef struct check {
    const product_check *q;
    uint64_t rows, inner, columns;
    double loss;     /* per term */
    double out_loss; /* of an output narrower than a float */
    bool exact;
    double *a_length, *b_length; /* of rows and columns */
    double b_all;
    double *sign; /* columns x V: 1 or -1 */
    double *x;    /* inner x V: B r */
    bool *odd;    /* rows that differ */
    sums_fn *add, *spread;
} check;

typedef struct part {
    check *c;
    void (*work)(struct part *p);
    uint64_t from, to;
    facts f;
} part;

static void *do_part(void *arg)
{
    part *p = arg;
    p->work(p);
    return NULL;
}

static bool is_whole(double x) { return x >= 0x1p53 || (double)(int64_t)x == x; }

static void take_facts(facts *f, const double *x, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const double big = fabs(x[i]);
        if (!(big <= 3.5e38)) {
            f->finite = false;
            continue;
        }
        if (big > f->most) f->most = big;
        if (big == 0) continue;
        if (f->unit == 0) f->unit = ldexp(1, ilogb(big)), f->per = 1 / f->unit;
        /* each product is exact: by powers of two, far from the limits of a double */
        while (!is_whole(big * f->per)) f->unit /= 2, f->per *= 2;
    }
}

/* Work on [0, count) in parts, whose facts are put together. */
static facts in_parts(check *c, void (*work)(part *p), uint64_t count)
{
    part p[THREADS_MOST];
    facts all = {.finite = true};
    const int n = count * c->inner < 1 << 20 ? 1 : threads_here();
    for (int i = 0; i < n; i++)
        p[i] = (part){c, work, count * (uint64_t)i / (uint64_t)n, count * (uint64_t)(i + 1) / (uint64_t)n, all};
    threads_run(do_part, p, sizeof *p, n);
    for (int i = 0; i < n; i++) {
        all.finite = all.finite && p[i].f.finite;
        all.most = fmax(all.most, p[i].f.most);
        if (p[i].f.unit > 0 && (all.unit == 0 || p[i].f.unit < all.unit)) all.unit = p[i].f.unit;
    }
    return all;
}

/* ---- lengths ---- */

static double square_of(facts *f, const cpu_value *v, uint64_t from, uint64_t count)
{
    double some[SOME], sum = 0;
    for (uint64_t k = 0, n; k < count; k += n) {
        n = count - k < SOME ? count - k : SOME;
        cpu_numbers(v, from + k, n, some);
        take_facts(f, some, n);
        for (uint64_t i = 0; i < n; i++) sum += some[i] * some[i];
    }
    return sum;
}

static void look_at_a(part *p)
{
    check *c = p->c;
    for (uint64_t i = p->from; i < p->to; i++) c->a_length[i] = sqrt(square_of(&p->f, c->q->a, i * c->inner, c->inner));
}

static void look_at_b(part *p)
{
    check *c = p->c;
    double some[SOME];
    if (c->q->by_rows) {
        for (uint64_t j = p->from; j < p->to; j++)
            c->b_length[j] = sqrt(square_of(&p->f, c->q->b, j * c->inner, c->inner));
        return;
    }
    for (uint64_t j = p->from; j < p->to; j++) c->b_length[j] = 0;
    for (uint64_t k = 0; k < c->inner; k++)
        for (uint64_t j = p->from, n; j < p->to; j += n) {
            n = p->to - j < SOME ? p->to - j : SOME;
            cpu_numbers(c->q->b, k * c->columns + j, n, some);
            take_facts(&p->f, some, n);
            for (uint64_t i = 0; i < n; i++) c->b_length[j + i] += some[i] * some[i];
        }
    for (uint64_t j = p->from; j < p->to; j++) c->b_length[j] = sqrt(c->b_length[j]);
}

/* ---- random sums ---- */

#if defined(__GNUC__)
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
_Static_assert(V == 16, "four fours");
#define SUMS_FN(target, name)                                                                      \
    target static void add_##name(double *to, const double *x, const double *r, uint64_t count)    \
    {                                                                                              \
        four *t = (four *)(void *)to, a = t[0], b = t[1], c = t[2], d = t[3];                      \
        const four *s = (const four *)(const void *)r;                                             \
        for (uint64_t i = 0; i < count; i++, s += 4)                                               \
            a += x[i] * s[0], b += x[i] * s[1], c += x[i] * s[2], d += x[i] * s[3];                \
        t[0] = a, t[1] = b, t[2] = c, t[3] = d;                                                    \
    }                                                                                              \
    target static void spread_##name(double *to, const double *x, const double *r, uint64_t count) \
    {                                                                                              \
        four *t = (four *)(void *)to;                                                              \
        const four *s = (const four *)(const void *)r, a = s[0], b = s[1], c = s[2], d = s[3];     \
        for (uint64_t i = 0; i < count; i++, t += 4)                                               \
            t[0] += x[i] * a, t[1] += x[i] * b, t[2] += x[i] * c, t[3] += x[i] * d;                \
    }
#if defined(__x86_64__)
SUMS_FN(__attribute__((target("avx2"))), avx2)
#endif
SUMS_FN(, plain)
#else
static void add_plain(double *to, const double *x, const double *r, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++, r += V)
        for (int v = 0; v < V; v++) to[v] += x[i] * r[v];
}
static void spread_plain(double *to, const double *x, const double *r, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++, to += V)
        for (int v = 0; v < V; v++) to[v] += x[i] * r[v];
}
#endif

static void choose_sums(check *c)
{
    c->add = add_plain;
    c->spread = spread_plain;
#if defined(__GNUC__) && defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) c->add = add_avx2, c->spread = spread_avx2;
#endif
}

static void sum_row(const check *c, double to[V], const cpu_value *m, uint64_t from, const double *r, uint64_t count)
{
    double some[SOME];
    memset(to, 0, V * sizeof *to);
    for (uint64_t k = 0, n; k < count; k += n) {
        n = count - k < SOME ? count - k : SOME;
        cpu_numbers(m, from + k, n, some);
        c->add(to, some, r + k * V, n);
    }
}

/* B r: for rows `from` to `to` of the inner dimension. */
static void sum_b(part *p)
{
    check *c = p->c;
    double some[SOME];
    if (!c->q->by_rows) {
        for (uint64_t k = p->from; k < p->to; k++)
            sum_row(c, c->x + k * V, c->q->b, k * c->columns, c->sign, c->columns);
        return;
    }
    memset(c->x + p->from * V, 0, (p->to - p->from) * V * sizeof *c->x);
    for (uint64_t k = p->from, n; k < p->to; k += n) { /* so few that their sums stay in the L1 cache */
        n = p->to - k < 128 ? p->to - k : 128;
        for (uint64_t j = 0; j < c->columns; j++) {
            cpu_numbers(c->q->b, j * c->inner + k, n, some);
            c->spread(c->x + k * V, some, c->sign + j * V, n);
        }
    }
}

static void compare_rows(part *p)
{
    enum { TIMES = 8 };
    check *c = p->c;
    const double terms = (double)c->inner + (double)c->columns;
    for (uint64_t i = p->from; i < p->to; i++) {
        double ours[V], theirs[V], most = 0;
        facts ignored = {.finite = true};
        sum_row(c, ours, c->q->ours, i * c->columns, c->sign, c->columns);
        sum_row(c, theirs, c->q->a, i * c->inner, c->x, c->inner);
        if (!c->exact) /* and what these sums in double lose themselves */
            most = c->a_length[i] * c->b_all *
                   (TIMES * (double)c->inner * c->loss + terms * 0x1p-52 * sqrt((double)c->columns));
        if (c->out_loss > 0)
            most += TIMES * c->out_loss * sqrt(square_of(&ignored, c->q->ours, i * c->columns, c->columns));
        for (int v = 0; v < V; v++)
            if (!(fabs(ours[v] - theirs[v]) <= most)) c->odd[i] = true; /* or NaN */
    }
}

static void draw_signs(check *c)
{
    uint64_t state = c->q->seed * 0x9e3779b97f4a7c15u + 0xd1342543de82ef95u;
    for (uint64_t j = 0; j < c->columns; j++) {
        uint64_t z = state += 0x9e3779b97f4a7c15u; /* splitmix64 */
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        for (int v = 0; v < V; v++) c->sign[j * V + (uint64_t)v] = z >> v & 1 ? 1 : -1;
    }
}

/* ---- element by element ---- */

/* Compare `count` rows, row[0] ..., with their exact product. */
static void compare_elements(const check *c, const uint64_t *row, uint64_t count, const double *exact, verdict *out)
{
    const enum lesson_type type = c->q->ours->type;
    const double least = c->out_loss > 0 ? float_last_bit(type, 0) : 0;
    double wrong_sum = 0, some[SOME];
    uint64_t first = UINT64_MAX;
    for (uint64_t n = 0; n < count; n++) {
        const uint64_t i = row ? row[n] : n;
        for (uint64_t j = 0; j < c->columns; j++) {
            if (j % SOME == 0)
                cpu_numbers(c->q->ours, i * c->columns + j, c->columns - j < SOME ? c->columns - j : SOME, some);
            const double is = exact[n * c->columns + j], have = some[j % SOME];
            const double bound =
                c->exact ? 0 : (double)c->inner * (c->loss + 0x1p-52) * c->a_length[i] * c->b_length[j];
            const double most = bound + c->out_loss * (fabs(is) + bound) + least;
            double off = fabs(have - is);
            if (off != off) off = INFINITY;
            if (!(off <= most)) {
                out->wrong++;
                if (i * c->columns + j < first) {
                    first = i * c->columns + j;
                    out->ours = have;
                    out->reference = is;
                }
            }
            const double relative = is != 0 ? off / fabs(is) : off != 0 ? INFINITY : 0;
            wrong_sum += relative;
            out->max_absolute = fmax(out->max_absolute, off);
            out->max_relative = fmax(out->max_relative, relative);
            if (most > 0) out->of_rounding = fmax(out->of_rounding, off / most);
            if (off > 0) out->max_ulp = fmax(out->max_ulp, off < INFINITY ? off / float_last_bit(type, is) : INFINITY);
        }
    }
    out->mean_relative = count ? wrong_sum / (double)(count * c->columns) : 0;
    if (out->wrong) out->first = first;
    else if (count) {
        out->ours = cpu_number(c->q->ours, 0);
        out->reference = exact[0];
    }
}

/* Which rows are computed: those that differ, and some others, as far as there is room. */
static uint64_t choose_rows(const check *c, uint64_t row[2 * LOOKED])
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < c->rows && count < LOOKED; i++)
        if (c->odd[i]) row[count++] = i;
    for (uint64_t n = 0; n < LOOKED; n++) {
        const uint64_t i = n * c->rows / LOOKED;
        bool known = c->odd[i] || (n && i == (n - 1) * c->rows / LOOKED);
        if (!known) row[count++] = i;
    }
    return count;
}

static bool compare(check *c, bool whole, verdict *out)
{
    uint64_t row[2 * LOOKED];
    const uint64_t count = whole ? c->rows : choose_rows(c, row);
    float *a = malloc((size_t)(count * c->inner) * sizeof *a + 1);
    double *exact = malloc((size_t)(count * c->columns) * sizeof *exact + 1);
    for (uint64_t n = 0; a && n < count; n++)
        for (uint64_t k = 0; k < c->inner; k++)
            a[n * c->inner + k] = (float)cpu_number(c->q->a, (whole ? n : row[n]) * c->inner + k);
    const bool good = a && exact && product_exact(a, count, c->q->b, c->inner, c->q->by_rows, exact);
    if (good) compare_elements(c, whole ? NULL : row, count, exact, out);
    if (good && !whole) out->looked = count * c->columns;
    free(a);
    free(exact);
    return good;
}

static void free_check(check *c)
{
    free(c->a_length);
    free(c->b_length);
    free(c->sign);
    free(c->x);
    free(c->odd);
}

static bool make_check(check *c, bool whole)
{
    c->a_length = malloc((size_t)c->rows * sizeof *c->a_length + 1);
    c->b_length = malloc((size_t)c->columns * sizeof *c->b_length + 1);
    c->sign = malloc((whole ? 0 : (size_t)c->columns * V * sizeof *c->sign) + 1);
    c->x = malloc((whole ? 0 : (size_t)c->inner * V * sizeof *c->x) + 1);
    c->odd = calloc((size_t)c->rows + 1, sizeof *c->odd);
    return c->a_length && c->b_length && c->sign && c->x && c->odd;
}

int product_judge(const product_check *q, verdict *out, char *why, size_t size)
{
    memset(out, 0, sizeof *out);
    if (!product_shape(q->a, q->b, q->inner, why, size)) return PRODUCT_MISTAKE;
    const int bits = float_precision(q->ours->type);
    if (bits < 8 || bits > 24) {
        snprintf(why, size, "expected a product of f32, tf32, f16 or bf16");
        return PRODUCT_MISTAKE;
    }
    check c = {.q = q, .inner = (uint64_t)q->inner};
    c.rows = q->a->count / c.inner;
    c.columns = q->b->count / c.inner;
    out->array = true;
    if (q->ours->count != c.rows * c.columns) {
        snprintf(out->message, sizeof out->message, "%llu elements instead of %llu", (unsigned long long)q->ours->count,
                 (unsigned long long)(c.rows * c.columns));
        out->wrong = q->ours->count;
        return 0;
    }
    const bool bytes = float_precision(q->a->type) <= 4 && float_precision(q->b->type) <= 4; /* e4m3 or e5m2 */
    const bool whole =
        !q->sums && c.rows * c.columns <= PRODUCT_WHOLE_ELEMENTS && c.rows * c.columns * c.inner <= PRODUCT_WHOLE_WORK;
    c.loss = bytes ? 0x1p-12 : 0x1p-23;
    c.out_loss = bits < 24 ? ldexp(1, -bits) : 0;
    int bad = make_check(&c, whole) ? 0 : PRODUCT_SHORTAGE;
    if (!bad) {
        const facts a = in_parts(&c, look_at_a, c.rows), b = in_parts(&c, look_at_b, c.columns);
        c.exact = a.unit == 0 || b.unit == 0 ||
                  (double)c.inner * (a.most / a.unit) * (b.most / b.unit) <= (bytes ? 0x1p13 : 0x1p24);
        for (uint64_t j = 0; j < c.columns; j++) c.b_all += c.b_length[j] * c.b_length[j];
        c.b_all = sqrt(c.b_all);
        if (!a.finite || !b.finite) bad = PRODUCT_MISTAKE;
    }
    if (!bad && !whole) {
        choose_sums(&c);
        draw_signs(&c);
        in_parts(&c, sum_b, c.inner);
        in_parts(&c, compare_rows, c.rows);
    }
    if (!bad && !compare(&c, whole, out)) bad = PRODUCT_SHORTAGE;
    if (bad) snprintf(why, size, bad == PRODUCT_SHORTAGE ? NO_MEMORY : "an input is infinite, or no number");
    out->correct = !bad && out->wrong == 0;
    free_check(&c);
    return bad;
}
