/* group_product.c: a warpgroup's product: numbers in, numbers out. wgmma.c knows where they lie.
 *
 * Sums go as product.c says, with numbers from a table: of so many k at a time, all products and C
 * are cut, toward zero, to the unit so many bits below the largest exponent among them; their sum
 * is exact, and is cut to f32, or rounded to f16 when D is that. 8-bit floats keep far fewer bits,
 * and an f32 of them has 14 digits. All 120,000 results recorded on an H200 come out the same.
 *
 * Two ways give the same bits. Where all numbers are of ordinary size (next to all products) 32-bit
 * floats hold each product exactly and a conversion to int32_t cuts it: eight columns of D at a
 * time. Any others go one result at a time, in doubles.
 *
 * A lies row after row, B k after k (so that eight columns are neighbours), D row after row. Part of
 * wgmma.c.
 */
#include "ints.h"
#include "kinds.h"

enum { GROUP_M = 64, GROUP_MOST_N = 256, GROUP_MOST_K = 32, NO_POWER = -4096 };

/* How a card sums, by the type of a factor. `spare`: bits kept below the largest exponent. `group`:
 * how many k at a time. `digits`: of a sum in f32. `lowest`: by this power of two a number of the
 * type is aligned at least. */
static const struct sum_rule {
    uint8_t spare, group, digits;
    int16_t lowest;
} sum_rules[K_NONE] = {
    [K_F16] = {25, 16, 24, -14}, [K_BF16] = {25, 16, 24, -126}, [K_TF32] = {25, 8, 24, -126},
    [K_E4M3] = {13, 32, 14, -6}, [K_E5M2] = {13, 32, 14, -14},
};

typedef struct group_factor {
    float value[GROUP_MOST_N * GROUP_MOST_K];
    int32_t power[GROUP_MOST_N * GROUP_MOST_K]; /* of two, by which it is aligned; NO_POWER: it is 0 */
} group_factor;

typedef struct group_numbers {
    group_factor a, b;
    float d[GROUP_M * GROUP_MOST_N];
    /* integers, and bits */
    int32_t whole_d[GROUP_M * GROUP_MOST_N];
    int16_t whole_a[GROUP_M * GROUP_MOST_K], whole_b[GROUP_MOST_N * GROUP_MOST_K];
    uint64_t bits_a[GROUP_M * 4], bits_b[GROUP_MOST_N * 4];
} group_numbers;

/* ---- floats ---- */
static inline int32_t float_power(float v, int32_t lowest)
{
    const int32_t p = (int32_t)(f32_bits(v) >> 23 & 255) - 127;
    return v == 0 ? NO_POWER : p < lowest ? lowest : p;
}

/* Fills in the powers. False: some number is too large or too small for the quick way, or none. */
static bool find_powers(group_factor *f, size_t count, int32_t lowest)
{
    enum { FAR = 40 };
    int32_t least = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t p = float_power(f->value[i], lowest), q = p == NO_POWER ? 0 : p;
        f->power[i] = p;
        least = q < least ? q : least;
        most = q > most ? q : most;
    }
    return least >= -FAR && most <= FAR;
}
static bool sums_are_ordinary(const float *d, size_t count)
{
    enum { FAR = 90 };
    int32_t least = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t p = float_power(d[i], -127), q = p == NO_POWER ? 0 : p;
        least = q < least ? q : least;
        most = q > most ? q : most;
    }
    return least >= -FAR && most <= FAR;
}

/* What a sum becomes in D. */
static inline double cut_to(double r, const uint8_t digits)
{
    return 0.0 + bits_f64(f64_bits(r) & ~((UINT64_C(1) << (53 - digits)) - 1));
}
static inline float into_f32(double r, uint8_t digits)
{
    return fabs(r) < 0x1p-126 ? 0.0f + f64_to_f32(r, ROUND_RZ) : (float)cut_to(r, digits);
}
static inline float into_f16(double r)
{
    return fabs(r) <= 0x1p-25 ? 0.0f : f16_to_f32(f32_to_f16(f64_to_f32_odd(r), ROUND_RN));
}

/* One strip of eight columns, `k` of them at a time. The unit is spare bits below the largest power:
 * a product is less than 2^(spare + 2) of it, so eight of them fit into an int32_t. */
ALWAYS_INLINE void sum_strip(const size_t k, const struct sum_rule rule, const bool half, const float *a,
                             const int32_t *a_power, const float *b, const int32_t *b_power, size_t n_all,
                             int32_t lowest_c, float *d)
{
    const int32_t spare = rule.spare;
    int32_t top[8], sum[8];
    float scale[8];
    double all[8];
    COLUMNS
    {
        const int32_t p = (int32_t)(f32_bits(d[n]) >> 23 & 255) - 127, q = p < lowest_c ? lowest_c : p;
        top[n] = d[n] == 0 ? -100 : q;
    }
    for (size_t q = 0; q < k; q++) {
        const int32_t p = a_power[q], *with = b_power + q * n_all;
        COLUMNS top[n] = p + with[n] > top[n] ? p + with[n] : top[n];
    }
    COLUMNS scale[n] = bits_f32((uint32_t)(spare - top[n] + 127) << 23);
    COLUMNS sum[n] = (int32_t)(d[n] * scale[n]);
    COLUMNS all[n] = (double)sum[n];
    for (size_t from = 0; from < k; from += 8) {
        COLUMNS sum[n] = 0;
        for (size_t q = from; q < from + 8; q++) {
            const float x = a[q], *with = b + q * n_all;
            COLUMNS sum[n] += (int32_t)(x * with[n] * scale[n]);
        }
        COLUMNS all[n] += (double)sum[n];
    }
    COLUMNS all[n] *= bits_f64((uint64_t)(top[n] - spare + 1023) << 52);
    if (half)
        for (int n = 0; n < 8; n++) d[n] = into_f16(all[n]);
    else COLUMNS d[n] = (float)cut_to(all[n], rule.digits);
}

ALWAYS_INLINE void sum_all(const size_t group, const struct sum_rule rule, const bool half, int n_all, int k,
                           group_numbers *g)
{
    const int32_t lowest_c = half ? -14 : -126;
    for (int m = 0; m < GROUP_M; m++)
        for (int strip = 0; strip < n_all; strip += 8)
            for (size_t from = 0; from < (size_t)k; from += group)
                sum_strip(group, rule, half, g->a.value + m * k + from, g->a.power + m * k + from,
                          g->b.value + from * (size_t)n_all + strip, g->b.power + from * (size_t)n_all + strip,
                          (size_t)n_all, lowest_c, g->d + m * n_all + strip);
}

/* One result, in doubles: any numbers. */
static float sum_any(const struct sum_rule *r, bool half, const float *a, const int32_t *a_power, const float *b,
                     const int32_t *b_power, size_t n_all, int k, float d)
{
    double odd = (double)d;
    for (int q = 0; q < k; q++) odd += (double)a[q] * (double)b[(size_t)q * n_all];
    bool finite = f64_is_finite((double)d);
    for (int q = 0; q < k; q++) finite &= f64_is_finite((double)a[q]) && f64_is_finite((double)b[(size_t)q * n_all]);
    if (!finite) return (float)odd; /* infinity or NaN: the order does not matter */
    for (int from = 0; from < k; from += r->group) {
        int32_t top = float_power(d, half ? -14 : -126);
        for (int q = from; q < from + r->group; q++) {
            const int32_t p = a_power[q] + b_power[(size_t)q * n_all];
            top = p > top ? p : top;
        }
        if (top < -600) top = -600; /* zeros alone */
        const double unit = power(top - r->spare);
        double sum = trunc((double)d / unit);
        for (int q = from; q < from + r->group; q++) sum += trunc((double)a[q] * (double)b[(size_t)q * n_all] / unit);
        d = half ? into_f16(sum * unit) : into_f32(sum * unit, r->digits);
    }
    return d;
}

static void multiply_floats(enum kind a, enum kind b, bool half, int n_all, int k, group_numbers *g)
{
    const struct sum_rule *r = &sum_rules[a];
    bool quick = find_powers(&g->a, (size_t)GROUP_M * (size_t)k, r->lowest);
    quick = find_powers(&g->b, (size_t)n_all * (size_t)k, sum_rules[b].lowest) && quick;
    if (quick && sums_are_ordinary(g->d, (size_t)GROUP_M * (size_t)n_all)) {
        switch (half ? -r->group : r->group) {
        case -32: sum_all(32, sum_rules[K_E4M3], true, n_all, k, g); return;
        case -16: sum_all(16, sum_rules[K_F16], true, n_all, k, g); return;
        case 32: sum_all(32, sum_rules[K_E4M3], false, n_all, k, g); return;
        case 16: sum_all(16, sum_rules[K_F16], false, n_all, k, g); return;
        case 8: sum_all(8, sum_rules[K_TF32], false, n_all, k, g); return;
        default: break;
        }
    }
    for (int m = 0; m < GROUP_M; m++)
        for (int n = 0; n < n_all; n++)
            g->d[m * n_all + n] = sum_any(r, half, g->a.value + m * k, g->a.power + m * k, g->b.value + n,
                                          g->b.power + n, (size_t)n_all, k, g->d[m * n_all + n]);
}

/* ---- integers and bits ---- */
static inline int32_t add_whole(int32_t d, int64_t sum, bool saturate)
{
    sum += d;
    if (saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (int32_t)(uint32_t)(uint64_t)sum;
}
static void multiply_whole(bool saturate, int n_all, int k, group_numbers *g)
{
    for (int m = 0; m < GROUP_M; m++)
        for (int strip = 0; strip < n_all; strip += 8) {
            int32_t sum[8] = {0}, *d = g->whole_d + m * n_all + strip;
            for (int q = 0; q < k; q++) {
                const int32_t x = g->whole_a[m * k + q];
                const int16_t *with = g->whole_b + q * n_all + strip;
                COLUMNS sum[n] += x * with[n];
            }
            COLUMNS d[n] = add_whole(d[n], sum[n], saturate);
        }
}
static void multiply_ones(int n_all, group_numbers *g)
{
    for (int m = 0; m < GROUP_M; m++)
        for (int n = 0; n < n_all; n++) {
            uint32_t ones = 0;
            for (int q = 0; q < 4; q++) {
                const uint64_t both = g->bits_a[4 * m + q] & g->bits_b[4 * n + q];
                ones += popc_32((uint32_t)both) + popc_32((uint32_t)(both >> 32));
            }
            g->whole_d[m * n_all + n] = (int32_t)((uint32_t)g->whole_d[m * n_all + n] + ones);
        }
}
