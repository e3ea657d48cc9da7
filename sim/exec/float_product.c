/* float_product.c: products of f16, bf16 and tf32 in f32, where they are exact there.
 *
 * product.c computes in f64 and cuts every product and C as a card does. Often nothing is cut, as when the factors are
 * small whole numbers: then only the end of the sum is, to f32. f32 holds every sum of products, in any order, whose
 * magnitudes are together at most 2^24 times the lowest bit that is set in any of them. The order of the numbers is
 * that of product.c. Part of tensor.c.
 */
#include "product.c"

enum { MOST_WIDE = 512 /* elements of a factor of 16 bits and more */ };

ALWAYS_INLINE void read_floats(enum kind kind, const uint32_t *words, int shift, float *to)
{
    switch (kind) {
    case K_F16: LANES to[l] = f16_to_f32(words[l] >> shift & 0xffffu); break;
    case K_BF16: LANES to[l] = bits_f32(words[l] >> shift << 16); break;
    case K_TF32: LANES to[l] = bits_f32(words[l] & 0xffffe000u); break;
    default: LANES to[l] = bits_f32(words[l]); break;
    }
}

/* Of some values: the largest magnitude, which NaN exceeds; and a number no larger than the lowest bit that is set in
 * any. All are zeros: 0 and infinity. */
typedef struct float_reach {
    double top, low;
} float_reach;
#define SIXTEEN KEPT_VECTOR for (int n = 0; n < 16; n++)
ALWAYS_INLINE float_reach reach_of_floats(const float *v, int count)
{
    uint32_t most[16] = {0}, low[16]; /* as bits, which ascend with the numbers; low is one less, so that 0 is large */
    SIXTEEN low[n] = UINT32_MAX;
    for (int i = 0; i < count; i += 16) SIXTEEN
        {
            const uint32_t size = f32_bits(v[i + n]) & 0x7fffffffu;
            /* without its lowest bit; of a power of two, something smaller */
            const uint32_t least = f32_bits(bits_f32(size) - bits_f32(size & (size - 1))) - 1;
            most[n] = size > most[n] ? size : most[n];
            low[n] = least < low[n] ? least : low[n];
        }
    for (int half = 8; half; half /= 2)
        for (int n = 0; n < half; n++) {
            most[n] = most[n + half] > most[n] ? most[n + half] : most[n];
            low[n] = low[n + half] < low[n] ? low[n + half] : low[n];
        }
    return (float_reach){(double)bits_f32(most[0]), low[0] == UINT32_MAX ? 0x1p1000 : (double)bits_f32(low[0] + 1)};
}

ALWAYS_INLINE bool is_exact_in_f32(const product *p, const float *a, const float *b, const float *d)
{
    const float_reach ra = reach_of_floats(a, p->m * p->k), rb = reach_of_floats(b, p->n * p->k),
                      rc = reach_of_floats(d, p->m * p->n);
    const double lowest = lowest_of(p->a), lowest_c = lowest_of(p->c);
    /* no less than the power that a product is aligned by; than that of C or of a sum */
    const double top = (ra.top > lowest ? ra.top : lowest) * (rb.top > lowest ? rb.top : lowest),
                 most = p->k * top + (rc.top > lowest_c ? rc.top : lowest_c), low = ra.low * rb.low;
    return p->k * ra.top * rb.top <= 0x1p24 * low && low >= most * power(-SPARE) && rc.low >= top * power(-SPARE) &&
           low >= 0x1p-126 && rc.low >= 0x1p-126 && rc.top < 0x1p126 && most < 0x1p126;
}

/* Toward zero. 0.0 +: no sum is -0. */
static inline float cut_to_f32(double v) { return (float)(0.0 + bits_f64(f64_bits(v) & ~((UINT64_C(1) << 29) - 1))); }

/* Exact both ways: only the speed differs. */
static inline float add_product(float x, float y, float sum)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return fmaf(x, y, sum);
#else
    return x * y + sum;
#endif
}

/* Four rows of one strip or two neighbouring ones; a strip's sums lie d_step behind those of the strip before. */
ALWAYS_INLINE void sum_floats(const size_t groups, const int strips, const float *a, const float *b, size_t b_step,
                              float *d, size_t d_step)
{
    float sum[2][4][8];
    for (int s = 0; s < strips; s++)
        for (int i = 0; i < 4; i++) COLUMNS sum[s][i][n] = 0;
    for (size_t group = 0; group < groups; group++, a += 32, b += 32)
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 4; i++) {
                const float x = a[k + 4 * i];
                for (int s = 0; s < strips; s++) {
                    const float *y = b + (size_t)s * b_step + 8 * k;
                    COLUMNS sum[s][i][n] = add_product(x, y[n], sum[s][i][n]);
                }
            }
    for (int s = 0; s < strips; s++)
        for (int i = 0; i < 4; i++) {
            float *to = d + (size_t)s * d_step + 8 * i;
            COLUMNS to[n] = cut_to_f32((double)to[n] + (double)sum[s][i][n]);
        }
}
ALWAYS_INLINE void sum_strips(const product *p, const size_t groups, const int strips, const float *a, const float *b,
                              float *d)
{
    const size_t b_step = 8 * (size_t)p->k, d_step = 8 * (size_t)p->m;
    for (int strip = 0; strip < p->n / 8; strip += strips)
        for (int m = 0; m < p->m; m += 4)
            sum_floats(groups, strips, a + m / 8 * 8 * p->k + m % 8 * 4, b + (size_t)strip * b_step, b_step,
                       d + (size_t)strip * d_step + 8 * m, d_step);
}

/* d += a * b, if that is exact but for the last cut. False: it may not be, and nothing has been done. */
ALWAYS_INLINE bool multiply_floats(const product *p, const float *a, const float *b, float *d)
{
    if (p->d != K_F32 || !is_exact_in_f32(p, a, b, d)) return false;
    const int step = groups_at_once(p);
    for (int from = 0; from < p->k / 4; from += step, a += 32 * step, b += 32 * step)
        switch (step + (p->n % 16 == 0 ? 16 : 0)) {
        case 1: sum_strips(p, 1, 1, a, b, d); break;
        case 2: sum_strips(p, 2, 1, a, b, d); break;
        case 4: sum_strips(p, 4, 1, a, b, d); break;
        case 16 + 1: sum_strips(p, 1, 2, a, b, d); break;
        default: sum_strips(p, 4, 2, a, b, d); break;
        }
    return true;
}
