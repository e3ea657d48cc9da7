/* product.c: matrices multiplied as a card does it: numbers in, numbers out. tensor.c knows which
 * lane holds which.
 *
 * PTX does not say how a card sums. Here f16, bf16 and tf32 are summed as an H200 does, found by
 * experiment. Products are exact. All products of one instruction and C are cut, toward zero, to
 * the unit that lies 25 bits below the largest exponent among them (a product's exponent is the sum
 * of its factors'). The sum of these is exact; it is cut to f32, or rounded to f16; a zero is +0.
 * m8n8k4 of f16 is a chain of f32 fma, with C last, or first when C and D are both f16. Of some
 * 800,000 results compared two differed, in the last bit: a subnormal f32, and an f16 of m8n8k4.
 * Other cards cut elsewhere, so their last bits differ. f64 is a chain of fma starting from C.
 * Integers wrap, or saturate with .satfinite. tf32 factors are cut to 19 bits. Factors of 8-bit
 * floats become f16 first: compute 9.0 has no such product, and ptxas writes two of f16, see
 * multiply_small.
 *
 * Products are computed eight columns at a time: a strip. Registers are put into order whole: a
 * group is four k, those of the lanes t = 0 to 3 in one register (or in one half or quarter of it).
 *
 *     factor A       rows / 8 * groups of 32 values: of row g, k t
 *     factor B       the same, turned: of k t, column g of the strip
 *     accumulator    strips * rows / 8 of 64 values: of row g, column 2t + j, so lane after lane
 *
 * So where a register holds several values, k is in another order than PTX's, but the same for A
 * and B. Only f64 is summed in order, and has one value per register. Part of tensor.c.
 */
#include "kinds.h"

static void read_values(enum kind kind, const uint32_t *words, int shift, double *to)
{
    switch (kind) {
    case K_F16: LANES to[l] = value_of(K_F16, words[l] >> shift); break;
    case K_BF16: LANES to[l] = value_of(K_BF16, words[l] >> shift); break;
    case K_TF32: LANES to[l] = value_of(K_TF32, words[l]); break;
    case K_F32: LANES to[l] = value_of(K_F32, words[l]); break;
    case K_S8: LANES to[l] = value_of(K_S8, words[l] >> shift); break;
    case K_U8: LANES to[l] = value_of(K_U8, words[l] >> shift); break;
    case K_E4M3: LANES to[l] = value_of(K_E4M3, words[l] >> shift); break;
    case K_E5M2: LANES to[l] = value_of(K_E5M2, words[l] >> shift); break;
    case K_S4: LANES to[l] = value_of(K_S4, words[l] >> shift); break;
    case K_U4: LANES to[l] = value_of(K_U4, words[l] >> shift); break;
    default: LANES to[l] = value_of(K_S32, words[l]); break;
    }
}
static void write_values(enum kind kind, const double *from, bool saturate, uint32_t *words)
{
    switch (kind) {
    case K_F16:
        for (int i = 0; i < 64; i++) words[i] = (uint32_t)bits_of(K_F16, from[i], false);
        break;
    case K_F32:
        for (int i = 0; i < 64; i++) words[i] = (uint32_t)bits_of(K_F32, from[i], false);
        break;
    default:
        for (int i = 0; i < 64; i++) words[i] = (uint32_t)bits_of(K_S32, from[i], saturate);
        break;
    }
}

/* ---- products ---- */
enum { MOST_FACTOR = 1024, MOST_RESULT = 256 }; /* elements */
typedef struct product {
    int m, n, k;
    enum kind a, b, c, d;
    bool saturate;
} product;

/* d += a * b: integers (exact in f64), and what is finite nowhere. */
static void multiply_exact(const product *p, const double *a, const double *b, double *d)
{
    for (int strip = 0; strip < p->n / 8; strip++)
        for (int m = 0; m < p->m; m++, d += 8) {
            const double *am = a + m / 8 * 8 * p->k + m % 8 * 4, *bk = b + strip * 8 * p->k;
            for (int k = 0; k < p->k; k++, bk += 8) {
                const double x = am[k / 4 * 32 + k % 4];
                COLUMNS d[n] += x * bk[n];
            }
        }
}

/* The same for f64 and eight columns, with the number of groups known. */
enum { MOST_DOUBLES = 256 };
ALWAYS_INLINE void chain_rows(int rows, const size_t groups, const double *a, const double *b, double *d)
{
    for (int m = 0; m < rows; m += 4) {
        const double *am = a + (size_t)(m / 8) * groups * 32 + m % 8 * 4;
        double sum[4][8];
        for (int i = 0; i < 4; i++) COLUMNS sum[i][n] = d[8 * (m + i) + n];
        for (size_t k = 0; k < 4 * groups; k++)
            for (int i = 0; i < 4; i++) {
                const double x = am[k / 4 * 32 + k % 4 + 4 * (size_t)i], *y = b + 8 * k;
                COLUMNS sum[i][n] = fma(x, y[n], sum[i][n]);
            }
        for (int i = 0; i < 4; i++) COLUMNS d[8 * (m + i) + n] = sum[i][n];
    }
}

/* The NaN that each sum which is one would keep, and the card keeps: by steps. c: the sums before. */
static inline void chain_nans(int rows, int groups, const double *a, const double *b, const double *c, double *d)
{
    for (int at = 0; at < 8 * rows; at++) {
        if (d[at] == d[at]) continue;
        const int m = at / 8;
        double sum = c[at];
        for (int k = 0; k < 4 * groups; k++) {
            const double x = a[(m / 8 * groups + k / 4) * 32 + m % 8 * 4 + k % 4], y = b[8 * k + at % 8];
            sum = bits_f64(f64_out(fma(x, y, sum), x, y, sum));
        }
        d[at] = sum;
    }
}

/* A card aligns by the exponent of a number, at least the format's lowest; a zero has none. Here
 * that is a power of two, or 0. SPARE: how many bits below the largest exponent are kept. */
enum { SPARE = 25 };
static inline double power_of(double v, double lowest, double of_zero)
{
    const double p = bits_f64(f64_bits(v) & UINT64_C(0x7ff) << 52);
    return v == 0 ? of_zero : p < lowest ? lowest : p;
}
static inline double lowest_of(enum kind kind) { return kind == K_F16 || is_small(kind) ? 0x1p-14 : 0x1p-126; }

/* How many groups make one sum. */
static inline int groups_at_once(const product *p)
{
    return p->a == K_TF32 && p->n == 16 ? 1 : p->k / 4; /* m16n16k8 of wmma is two sums */
}

/* A factor: its finite values, and the powers by which they are aligned. */
typedef struct aligned {
    double value[MOST_FACTOR], power[MOST_FACTOR];
} aligned;

/* One row of a strip: c + a * b over `groups` groups. In units of the lowest bit kept, a product is
 * less than 2^27: it is cut by conversion to int32_t, and sums are exact. They are kept as a card
 * keeps them: cut to f32 when C or D are (`cut`), and what rounds to zero is +0. `small`: some are
 * too small to be cut like that. */
ALWAYS_INLINE void multiply_row(const size_t groups, const bool cut, const double *a, const double *a_power,
                                const double *b, const double *b_power, double c_lowest, double *d, uint64_t *small)
{
    double top[8], scale[8], sum[8];
    COLUMNS top[n] = power_of(d[n], c_lowest, 0x1p-400); /* less than any */
    for (size_t k = 0; k < 4 * groups; k++) {            /* size_t: gcc vectorises the indices too */
        const double x = a_power[k / 4 * 32 + k % 4], *y = b_power + 8 * k;
        COLUMNS top[n] = x * y[n] > top[n] ? x * y[n] : top[n];
    }
    COLUMNS scale[n] = bits_f64(((uint64_t)(2 * 1023 + SPARE) << 52) - f64_bits(top[n])); /* 2^SPARE / top */
    COLUMNS sum[n] = (double)(int32_t)(d[n] * scale[n]);
    for (size_t k = 0; k < 4 * groups; k++) {
        const double x = a[k / 4 * 32 + k % 4], *y = b + 8 * k;
        COLUMNS sum[n] += (double)(int32_t)(x * y[n] * scale[n]);
    }
    COLUMNS
    {
        const double r = sum[n] * (top[n] * power(-SPARE));
        if (cut) {
            small[n] |= (uint64_t)(fabs(r) < 0x1p-126) & (uint64_t)(fabs(r) > 0);
            /* 0.0 +: gcc makes trunc() of the casts, which gives -0 */
            d[n] = 0.0 + bits_f64(f64_bits(r) & ~(uint64_t)(fabs(r) < 0x1p-126 ? 0 : (UINT64_C(1) << 29) - 1));
        } else {
            d[n] = fabs(r) <= 0x1p-25 ? 0 : r; /* C and D are f16 */
        }
    }
}
ALWAYS_INLINE void multiply_rows(const product *p, const size_t groups, const bool cut, int from, const aligned *a,
                                 const aligned *b, double *d)
{
    uint64_t small[8] = {0}, any = 0;
    for (int strip = 0; strip < p->n / 8; strip++)
        for (int m = 0; m < p->m; m++, d += 8) {
            const int ai = m / 8 * 8 * p->k + from * 32 + m % 8 * 4, bi = strip * 8 * p->k + from * 32;
            multiply_row(groups, cut, a->value + ai, a->power + ai, b->value + bi, b->power + bi, lowest_of(p->c), d,
                         small);
        }
    for (int n = 0; n < 8; n++) any |= small[n];
    if (any || (cut && p->d == K_F16))
        for (double *at = d - p->n * p->m; at < d; at++) {
            if (fabs(*at) < 0x1p-126) *at = (double)f64_to_f32(*at, ROUND_RZ);
            if (fabs(*at) <= (p->d == K_F16 ? 0x1p-25 : 0)) *at = 0;
        }
}

static bool all_finite(const double *v, int count)
{
    uint64_t bad = 0;
    for (int i = 0; i < count; i++) bad |= f64_bits(v[i] - v[i]); /* NaN for infinity, NaN; else +0 */
    return !bad;
}
static void take_finite(const double *v, int count, double *to)
{
    for (int i = 0; i < count; i++) to[i] = f64_is_finite(v[i]) ? v[i] : 0;
}

/* Of some values: the largest power they are aligned by; and a number no larger than the lowest bit that is set in any.
 * 0 and very large: all are zeros. */
typedef struct reach_of {
    double top, low;
} reach_of;
static reach_of find_reach(const double *v, int count, double lowest)
{
    double most[8] = {0}, low[8];
    COLUMNS low[n] = 0x1p1000;
    for (int i = 0; i < count; i += 8) COLUMNS
        {
            const double x = v[i + n], size = fabs(x);
            /* without its lowest bit; of a power of two, something smaller */
            const double least = fabs(x - bits_f64(f64_bits(x) & (f64_bits(x) - 1))), bit = x == 0 ? 0x1p1000 : least;
            most[n] = size > most[n] ? size : most[n];
            low[n] = bit < low[n] ? bit : low[n];
        }
    reach_of r = {most[0], low[0]};
    for (int n = 1; n < 8; n++) {
        r.top = most[n] > r.top ? most[n] : r.top;
        r.low = low[n] < r.low ? low[n] : r.low;
    }
    r.top = power_of(r.top, lowest, 0);
    return r;
}

/* Nothing lies below the unit that any of the sums is cut to, and none is too small for f32: small whole numbers, say,
 * and what they add up to. So products and sums are exact in any order, but for the last cut to f32. */
static bool cuts_nothing(const product *p, const reach_of *a, const reach_of *b, const double *d)
{
    const reach_of c = find_reach(d, p->m * p->n, lowest_of(p->c));
    const double top = a->top * b->top > c.top ? a->top * b->top : c.top,
                 low = a->low * b->low < c.low ? a->low * b->low : c.low;
    return low >= top * power(-SPARE) && low >= 0x1p-126;
}

/* The same sums where nothing is cut but the end of each: four rows of a strip. */
ALWAYS_INLINE void sum_rows(const size_t groups, const double *a, const double *b, double *d)
{
    double sum[4][8];
    for (int i = 0; i < 4; i++) COLUMNS sum[i][n] = d[8 * i + n];
    for (size_t k = 0; k < 4 * groups; k++)
        for (int i = 0; i < 4; i++) {
            const double x = a[k / 4 * 32 + k % 4 + 4 * (size_t)i], *y = b + 8 * k;
            COLUMNS sum[i][n] += x * y[n];
        }
    for (int i = 0; i < 4; i++) COLUMNS d[8 * i + n] = 0.0 + bits_f64(f64_bits(sum[i][n]) & ~((UINT64_C(1) << 29) - 1));
}
static void multiply_uncut(const product *p, int groups, int from, const aligned *a, const aligned *b, double *d)
{
    for (int strip = 0; strip < p->n / 8; strip++)
        for (int m = 0; m < p->m; m += 4, d += 32) {
            const double *am = a->value + m / 8 * 8 * p->k + from * 32 + m % 8 * 4,
                         *bs = b->value + strip * 8 * p->k + from * 32;
            switch (groups) {
            case 1: sum_rows(1, am, bs, d); break;
            case 2: sum_rows(2, am, bs, d); break;
            default: sum_rows(4, am, bs, d); break;
            }
        }
}

/* d += a * b for f16, bf16 and tf32, as an H200 sums. */
static void multiply_aligned(const product *p, aligned *a, aligned *b, double *d)
{
    const int in_a = p->m * p->k, in_b = p->n * p->k, in_d = p->m * p->n;
    const int step = groups_at_once(p);
    const double lowest = lowest_of(p->a);
    const bool finite = all_finite(a->value, in_a) && all_finite(b->value, in_b) && all_finite(d, in_d);
    double a_all[MOST_FACTOR], b_all[MOST_FACTOR], d_all[MOST_RESULT];
    if (!finite) { /* infinity or NaN: the order of the sum does not matter */
        memcpy(a_all, a->value, sizeof a_all);
        memcpy(b_all, b->value, sizeof b_all);
        memcpy(d_all, d, sizeof d_all);
        take_finite(a_all, in_a, a->value);
        take_finite(b_all, in_b, b->value);
        take_finite(d_all, in_d, d);
        multiply_exact(p, a_all, b_all, d_all);
    }
    const bool try_uncut = finite && p->d == K_F32;
    reach_of reach_a = {0}, reach_b = {0};
    bool has_powers = false;
    if (try_uncut) {
        reach_a = find_reach(a->value, in_a, lowest);
        reach_b = find_reach(b->value, in_b, lowest);
    }
    for (int from = 0; from < p->k / 4; from += step) {
        if (try_uncut && cuts_nothing(p, &reach_a, &reach_b, d)) {
            multiply_uncut(p, step, from, a, b, d);
            continue;
        }
        for (int i = 0; i < in_a && !has_powers; i++) a->power[i] = power_of(a->value[i], lowest, 0);
        for (int i = 0; i < in_b && !has_powers; i++) b->power[i] = power_of(b->value[i], lowest, 0);
        has_powers = true;
        switch (p->c == K_F16 && p->d == K_F16 ? step : -step) {
        case 2: multiply_rows(p, 2, false, from, a, b, d); break;
        case 4: multiply_rows(p, 4, false, from, a, b, d); break;
        case -1: multiply_rows(p, 1, true, from, a, b, d); break;
        case -2: multiply_rows(p, 2, true, from, a, b, d); break;
        default: multiply_rows(p, 4, true, from, a, b, d); break;
        }
    }
    for (int i = 0; !finite && i < in_d; i++)
        if (!f64_is_finite(d_all[i])) d[i] = d_all[i];
}

/* One half of the k of a factor of 8-bit floats: the lower or the upper two of the four that a
 * register holds. */
static void take_half(int rows, int k, int half, const double *from, double *to)
{
    for (int group = 0; group < rows / 8 * k / 4; group++)
        if ((group & 3) >> 1 == half) memcpy(to, from + group * 32, 32 * sizeof *to), to += 32;
}

/* d += a * b for 8-bit floats, as the code that ptxas writes for compute 9.0: the product of the
 * lower halves of all registers, made f16; plus that of the upper halves; plus C, by an ordinary
 * addition. */
static void multiply_small(const product *p, const double *a, const double *b, double *d)
{
    const int in_d = p->m * p->n;
    product half = *p;
    aligned ah, bh;
    double c[MOST_RESULT];
    half.k = p->k / 2;
    memcpy(c, d, sizeof c);
    for (int i = 0; i < in_d; i++) d[i] = 0;
    for (int h = 0; h < 2; h++) {
        take_half(p->m, p->k, h, a, ah.value);
        take_half(p->n, p->k, h, b, bh.value);
        multiply_aligned(&half, &ah, &bh, d);
        for (int i = 0; i < in_d && p->d == K_F16; i++) d[i] = value_of(K_F16, bits_of(K_F16, d[i], false));
    }
    for (int i = 0; i < in_d; i++) d[i] = p->d == K_F16 ? c[i] + d[i] : (double)((float)c[i] + (float)d[i]);
}

/* The old m8n8k4: a chain of f32 fma over k. */
static void multiply_chained(const product *p, const double *a, const double *b, double *d)
{
    /* an f16 C and D: the chain starts from C; otherwise from 0, so that no sum of zeros is -0 */
    const bool from_c = p->c == K_F16 && p->d == K_F16;
    for (int m = 0; m < 8; m++, d += 8) {
        float sum[8];
        COLUMNS sum[n] = from_c ? (float)d[n] : 0;
        for (size_t k = 0; k < 4; k++) COLUMNS sum[n] = (float)sum_to_odd(a[4 * m + k] * b[8 * k + n], (double)sum[n]);
        COLUMNS d[n] = (double)(from_c ? sum[n] : sum[n] + (float)d[n]);
    }
}
