/* tensor.c: matrix fragments: wmma, mma.sync, ldmatrix, stmatrix, movmatrix.
 *
 * A matrix lies spread over the registers of a warp. With g = lane / 4 and t = lane % 4, nearly every fragment that
 * PTX documents is this one: unit u of lane (g, t) holds `width` neighbours of a row,
 *
 *     row  g + 8 * (u % (rows / 8))        columns  width * (t + 4 * (u / (rows / 8))) and on
 *
 * where width is what fits into 32 bits for the factors A and B (1 for tf32 and f64), and 2 for the accumulators C and
 * D. B is seen transposed: its rows are n, its columns k. The fragments of wmma, whose layout PTX leaves open, are the
 * same; f16 factors have more registers than elements there and repeat themselves. mma.m8n8k4 of f16 alone is
 * different: four products, one for each set of lanes with the same (lane % 16) / 4.
 *
 * PTX does not say how a card sums. Here f16, bf16 and tf32 are summed as an H200 does, found by experiment: products
 * are exact; all products of one instruction and C are cut, toward zero, to the unit that lies 25 bits below the
 * largest exponent among them (a product's being the sum of its factors'); the sum of these is exact, and cut to f32,
 * or rounded to f16; a zero is +0. m8n8k4 of f16 is a chain of f32 fma there, C coming last, or first when C and D are
 * both f16. Of some 800 000 results compared two differed, in the last bit: a subnormal f32, and an f16 of m8n8k4.
 * Other cards cut elsewhere, so their last bits differ. f64 is a chain of fma from C on. Integers wrap, or saturate
 * with .satfinite. tf32 factors are cut to 19 bits.
 *
 * All lanes of the warp take part: the operations first wait for them. Operand lists are long, see `place_of`.
 */
#include "access.h"
#include "exact64.h"
#include "select.h"

/* ---- elements and fragments ---- */
enum kind { K_F16, K_BF16, K_TF32, K_F32, K_F64, K_S8, K_U8, K_S32, K_NONE };
static const struct { uint8_t type, bits; } kinds[] = {
    [K_F16] = {T_F16, 16}, [K_BF16] = {T_BF16, 16}, [K_TF32] = {T_TF32, 32}, [K_F32] = {T_F32, 32},
    [K_F64] = {T_F64, 64}, [K_S8] = {T_S8, 8},      [K_U8] = {T_U8, 8},      [K_S32] = {T_S32, 32},
};

typedef struct fragment {
    int rows, columns, width;
    enum kind kind;
} fragment;

enum { MOST = 32 }; /* the longest side of a matrix */
typedef double matrix[MOST][MOST];

static inline fragment factor(int rows, int k, enum kind kind)
{
    return (fragment){rows, k, kinds[kind].bits >= 32 ? 1 : 32 / kinds[kind].bits, kind};
}
static inline fragment accumulator(int m, int n, enum kind kind) { return (fragment){m, n, 2, kind}; }
static inline int units_of(const fragment *f) { return f->rows / 8 * (f->columns / (4 * f->width)); }
static inline int registers_of(const fragment *f)
{
    return kinds[f->kind].bits < 32 ? units_of(f) : units_of(f) * f->width;
}
static inline int row_of(const fragment *f, int lane, int unit) { return lane / 4 + 8 * (unit % (f->rows / 8)); }
static inline int column_of(const fragment *f, int lane, int unit)
{
    return f->width * (lane % 4 + 4 * (unit / (f->rows / 8)));
}

static inline double value_of(enum kind kind, uint64_t bits)
{
    switch (kind) {
    case K_F16: return (double)f16_to_f32((uint32_t)bits & 0xffffu);
    case K_BF16: return (double)bf16_to_f32((uint32_t)bits & 0xffffu);
    case K_TF32: return (double)bits_f32((uint32_t)bits & 0xffffe000u);
    case K_F32: return (double)bits_f32((uint32_t)bits);
    case K_F64: return bits_f64(bits);
    case K_S8: return (double)(int8_t)(uint8_t)bits;
    case K_U8: return (double)(uint8_t)bits;
    default: return (double)(int32_t)(uint32_t)bits;
    }
}
static inline uint64_t bits_of(enum kind kind, double v, bool saturate)
{
    switch (kind) {
    case K_F16: return f32_to_f16(f64_to_f32_odd(v), ROUND_RN);
    case K_F32: return f32_out((float)v);
    case K_F64: return f64_bits(v);
    default:
        if (saturate) v = v > 2147483647.0 ? 2147483647.0 : v < -2147483648.0 ? -2147483648.0 : v;
        return (uint32_t)(uint64_t)(int64_t)v;
    }
}

/* ---- operands ---- */
/* Place number i of an instruction with insn.count places, and its address offset. */
static inline uint32_t place_of(const insn *in, int i)
{
    const uint32_t *list = in->count > 8 ? in->ext : in->o;
    return list[i];
}
static inline int64_t offset_of(const insn *in)
{
    if (in->count <= 8) return in->imm;
    const uint32_t *list = (const uint32_t *)in->ext + in->count;
    return (int64_t)((uint64_t)list[1] << 32 | list[0]);
}
static void set32(struct warp *w, uint32_t place, const uint32_t *v)
{
    uint32_t *d = DST(uint32_t, place);
    const uint32_t *on = w->lane;
    LANES d[l] = on[l] ? v[l] : d[l];
}

/* ---- fragments in a product ----
 * Products are computed eight columns side by side: a strip. What lies in registers is put into order by whole registers:
 * a group is four k, those of the lanes t = 0 to 3 in one register (or in one half or quarter of it).
 *
 *     factor A       rows / 8 * groups of 32 values: of row g, k t
 *     factor B       the same, turned: of k t, column g of the strip
 *     accumulator    strips * rows / 8 of 64 values: of row g, column 2t + j, so lane after lane
 *
 * So k comes in another order than PTX counts it, where a register holds several values, but in the same for A and B.
 * Only f64 is summed in order, and has one value a register. */
enum { MOST_FACTOR = 512, MOST_RESULT = 256 }; /* elements */
static void read_values(enum kind kind, const uint32_t *words, int shift, double *to)
{
    switch (kind) {
    case K_F16: LANES to[l] = value_of(K_F16, words[l] >> shift); break;
    case K_BF16: LANES to[l] = value_of(K_BF16, words[l] >> shift); break;
    case K_TF32: LANES to[l] = value_of(K_TF32, words[l]); break;
    case K_F32: LANES to[l] = value_of(K_F32, words[l]); break;
    case K_S8: LANES to[l] = value_of(K_S8, words[l] >> shift); break;
    case K_U8: LANES to[l] = value_of(K_U8, words[l] >> shift); break;
    default: LANES to[l] = value_of(K_S32, words[l]); break;
    }
}
static void gather_factor(const struct warp *w, const insn *in, int first, const fragment *f, bool turn, double *to)
{
    const int units = units_of(f), bits = kinds[f->kind].bits, groups = f->columns / 4;
    for (int i = 0; i < units * f->width; i++) {
        const int u = i / f->width, j = i % f->width;
        const uint32_t place = place_of(in, first + (bits < 32 ? u : i));
        double *at = to + (u % (f->rows / 8) * groups + u / (f->rows / 8) * f->width + j) * 32;
        if (bits == 64) {
            const double *v = SRC(double, place);
            for (int l = 0; l < 32; l++) at[turn ? l % 4 * 8 + l / 4 : l] = v[l];
        } else {
            const uint32_t *words = SRC(uint32_t, place);
            uint32_t turned[32];
            if (turn)
                for (int g = 0; g < 8; g++)
                    for (int t = 0; t < 4; t++) turned[8 * t + g] = words[4 * g + t];
            read_values(f->kind, turn ? turned : words, bits * j % 32, at);
        }
    }
}
static void gather_sums(const struct warp *w, const insn *in, int first, const fragment *f, double *to)
{
    const int units = units_of(f), bits = kinds[f->kind].bits;
    for (int u = 0; u < units; u++, to += 64) {
        const uint32_t low = place_of(in, first + (bits < 32 ? u : 2 * u)), high = bits < 32 ? low : place_of(in, first + 2 * u + 1);
        if (bits == 64) {
            for (int l = 0; l < 32; l++) to[2 * l] = SRC(double, low)[l], to[2 * l + 1] = SRC(double, high)[l];
            continue;
        }
        const uint32_t *v[2] = {SRC(uint32_t, low), SRC(uint32_t, high)};
        uint32_t words[64];
        for (int l = 0; l < 32; l++) words[2 * l] = v[0][l], words[2 * l + 1] = v[1][l] >> bits % 32;
        read_values(f->kind, words, 0, to);
        read_values(f->kind, words + 32, 0, to + 32);
    }
}
static void scatter_sums(struct warp *w, const insn *in, int first, const fragment *f, const double *from, bool saturate)
{
    const int units = units_of(f), bits = kinds[f->kind].bits;
    for (int u = 0; u < units; u++, from += 64) {
        const uint32_t low = place_of(in, first + (bits < 32 ? u : 2 * u)), high = bits < 32 ? low : place_of(in, first + 2 * u + 1);
        if (bits == 64) {
            for (int l = 0; l < 32; l++)
                if (w->lane[l]) DST(double, low)[l] = from[2 * l], DST(double, high)[l] = from[2 * l + 1];
            continue;
        }
        uint32_t words[64], v[2][32];
        switch (f->kind) {
        case K_F16: for (int i = 0; i < 64; i++) words[i] = (uint32_t)bits_of(K_F16, from[i], false); break;
        case K_F32: for (int i = 0; i < 64; i++) words[i] = (uint32_t)bits_of(K_F32, from[i], false); break;
        default: for (int i = 0; i < 64; i++) words[i] = (uint32_t)bits_of(K_S32, from[i], saturate); break;
        }
        for (int l = 0; l < 32; l++) v[0][l] = words[2 * l] | (bits < 32 ? words[2 * l + 1] << 16 : 0), v[1][l] = words[2 * l + 1];
        set32(w, low, v[0]);
        if (bits == 32) set32(w, high, v[1]);
    }
}

/* ---- products ---- */
/* insn.mod2 of a product. */
typedef struct product {
    int m, n, k;
    enum kind a, b, c, d;
    bool saturate;
} product;
static uint32_t pack_product(const product *p)
{
    return (uint32_t)(p->m / 8) | (uint32_t)(p->n / 8) << 3 | (uint32_t)(p->k / 4) << 6 | (uint32_t)p->a << 12 |
           (uint32_t)p->b << 16 | (uint32_t)p->c << 20 | (uint32_t)p->d << 24 | (uint32_t)p->saturate << 28;
}
static product unpack_product(uint32_t v)
{
    return (product){.m = 8 * (int)(v & 7), .n = 8 * (int)(v >> 3 & 7), .k = 4 * (int)(v >> 6 & 63),
                     .a = (enum kind)(v >> 12 & 15), .b = (enum kind)(v >> 16 & 15), .c = (enum kind)(v >> 20 & 15),
                     .d = (enum kind)(v >> 24 & 15), .saturate = v >> 28 & 1};
}

/* A loop over the columns of a strip. Compilers are to vectorise it, not to write it out before they have looked. */
#if defined(__clang__)
#define COLUMNS _Pragma("clang loop vectorize(assume_safety) unroll(disable)") for (int n = 0; n < 8; n++)
#elif defined(__GNUC__)
#define COLUMNS _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (int n = 0; n < 8; n++)
#else
#define COLUMNS for (int n = 0; n < 8; n++)
#endif

/* d += a * b: integers (exact in f64) and f64. */
static void multiply_exact(const product *p, const double *a, const double *b, double *d)
{
    const bool chain = p->d == K_F64;
    for (int strip = 0; strip < p->n / 8; strip++)
        for (int m = 0; m < p->m; m++, d += 8) {
            const double *am = a + m / 8 * 8 * p->k + m % 8 * 4, *bk = b + strip * 8 * p->k;
            for (int k = 0; k < p->k; k++, bk += 8) {
                const double x = am[k / 4 * 32 + k % 4];
                if (chain)
                    COLUMNS d[n] = fma(x, bk[n], d[n]);
                else
                    COLUMNS d[n] += x * bk[n];
            }
        }
}

/* A card aligns by the exponent of a number, but not less than the format's lowest; a zero has none. Here that is a power
 * of two, or 0. SPARE: how many bits below the largest one are kept. */
enum { SPARE = 25 };
static inline double power(int e) { return bits_f64((uint64_t)(e + 1023) << 52); }
static inline double power_of(double v, double lowest, double of_zero)
{
    const double p = bits_f64(f64_bits(v) & UINT64_C(0x7ff) << 52);
    return v == 0 ? of_zero : p < lowest ? lowest : p;
}
static inline double lowest_of(enum kind kind) { return kind == K_F16 ? 0x1p-14 : 0x1p-126; }

/* A factor: its values, finite, and what they are aligned by. */
typedef struct aligned { double value[MOST_FACTOR], power[MOST_FACTOR]; } aligned;

/* One row of a strip: c + a * b over `groups` groups, each product exact. It is kept as a card keeps it: cut to f32 when C
 * or D are (`cut`), and what rounds to zero is +0. `small`: some are too small to be cut like that. */
ALWAYS_INLINE void multiply_row(const size_t groups, const bool cut, const double *a, const double *a_power,
                                const double *b, const double *b_power, double c_lowest, double *d, uint64_t *small)
{
    double top[8], scale[8], sum[8];
    COLUMNS top[n] = power_of(d[n], c_lowest, 0x1p-400); /* less than any */
    for (size_t k = 0; k < 4 * groups; k++) { /* size_t: gcc works out vectors of the indices, too */
        const double x = a_power[k / 4 * 32 + k % 4], *y = b_power + 8 * k;
        COLUMNS top[n] = x * y[n] > top[n] ? x * y[n] : top[n];
    }
    COLUMNS scale[n] = bits_f64(((uint64_t)(2 * 1023 + SPARE) << 52) - f64_bits(top[n])); /* 2^SPARE / top */
    COLUMNS sum[n] = (double)(int32_t)(d[n] * scale[n]);
    for (size_t k = 0; k < 4 * groups; k++) {
        const double x = a[k / 4 * 32 + k % 4], *y = b + 8 * k;
        COLUMNS sum[n] += (double)(int32_t)(x * y[n] * scale[n]);
    }
    COLUMNS {
        const double r = sum[n] * (top[n] * power(-SPARE));
        if (cut) {
            small[n] |= (uint64_t)(fabs(r) < 0x1p-126) & (uint64_t)(fabs(r) > 0);
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
            multiply_row(groups, cut, a->value + ai, a->power + ai, b->value + bi, b->power + bi, lowest_of(p->c), d, small);
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
    for (int i = 0; i < count; i++) bad |= f64_bits(v[i] - v[i]); /* NaN for infinity and NaN, else +0 */
    return !bad;
}
static void take_finite(const double *v, int count, double *to)
{
    for (int i = 0; i < count; i++) to[i] = f64_is_finite(v[i]) ? v[i] : 0;
}

/* d += a * b for f16, bf16 and tf32, as an H200 sums. */
static void multiply_aligned(const product *p, aligned *a, aligned *b, double *d)
{
    const int in_a = p->m * p->k, in_b = p->n * p->k, in_d = p->m * p->n;
    const int step = p->a == K_TF32 && p->n == 16 ? 1 : p->k / 4; /* m16n16k8 of wmma is two sums */
    const double lowest = lowest_of(p->a);
    const bool finite = all_finite(a->value, in_a) && all_finite(b->value, in_b) && all_finite(d, in_d);
    double a_all[MOST_FACTOR], b_all[MOST_FACTOR], d_all[MOST_RESULT];
    if (!finite) { /* infinity or NaN, however it is summed */
        memcpy(a_all, a->value, sizeof a_all);
        memcpy(b_all, b->value, sizeof b_all);
        memcpy(d_all, d, sizeof d_all);
        take_finite(a_all, in_a, a->value);
        take_finite(b_all, in_b, b->value);
        take_finite(d_all, in_d, d);
        multiply_exact(p, a_all, b_all, d_all);
    }
    for (int i = 0; i < in_a; i++) a->power[i] = power_of(a->value[i], lowest, 0);
    for (int i = 0; i < in_b; i++) b->power[i] = power_of(b->value[i], lowest, 0);
    for (int from = 0; from < p->k / 4; from += step) {
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

/* The old m8n8k4: a chain of f32 fma over k. */
static void multiply_chained(const product *p, matrix a, matrix b, matrix d)
{
    for (int m = 0; m < p->m; m++)
        for (int n = 0; n < p->n; n++) {
            /* an f16 C and D: the chain starts from C; otherwise from 0, so that no sum of zeros is -0 */
            const bool from_c = p->c == K_F16 && p->d == K_F16;
            float sum = from_c ? (float)d[m][n] : 0;
            for (int k = 0; k < p->k; k++) sum = (float)sum_to_odd(a[m][k] * b[n][k], (double)sum);
            d[m][n] = (double)(from_c ? sum : sum + (float)d[m][n]);
        }
}

/* Places: d, a, b, c. `mod` is the number of registers of each factor, a | b << 8. */
OP_FN(multiply_fragments)
{
    const insn *next = NULL;
    if (!warp_meet(w, in, UINT32_MAX, &next)) return next;
    const product p = unpack_product(in->mod2);
    const fragment fa = factor(p.m, p.k, p.a), fb = factor(p.n, p.k, p.b);
    const fragment fc = accumulator(p.m, p.n, p.c), fd = accumulator(p.m, p.n, p.d);
    const int at_a = registers_of(&fd), at_b = at_a + (int)(in->mod & 255), at_c = at_b + (int)(in->mod >> 8);
    aligned a, b;
    double d[MOST_RESULT];
    gather_factor(w, in, at_a, &fa, false, a.value);
    gather_factor(w, in, at_b, &fb, true, b.value);
    gather_sums(w, in, at_c, &fc, d);
    if (p.d == K_F16 || p.d == K_F32) multiply_aligned(&p, &a, &b, d);
    else multiply_exact(&p, a.value, b.value, d);
    scatter_sums(w, in, 0, &fd, d, p.saturate);
    return warp_met(w, in);
}

/* mma.m8n8k4 of f16: four products of 8 x 4 by 4 x 8. Lane l belongs to product (l % 16) / 4 and has i = l % 4, + 4
 * for the upper 16 lanes. A factor holds four values: row i, k 0 to 3; or, against the grain (A .col, B .row), k = l %
 * 4, rows 0 to 3 or 4 to 7. f16 accumulators are row i; those of f32 are spread as below. */
enum { QUAD_A_COL = 1, QUAD_B_ROW = 2 };
static void quad_factor(const struct warp *w, const insn *in, int first, bool across, int quad, matrix to)
{
    for (int lane = 0; lane < 32; lane++) {
        if (lane % 16 / 4 != quad) continue;
        for (int e = 0; e < 4; e++) {
            uint32_t word = SRC(uint32_t, place_of(in, first + e / 2))[lane];
            double v = value_of(K_F16, word >> 16 * (e & 1));
            int half = lane >= 16 ? 4 : 0;
            if (across) to[e + half][lane % 4] = v;
            else to[lane % 4 + half][e] = v;
        }
    }
}
static void quad_spot(enum kind kind, int lane, int e, int *row, int *column)
{
    int half = lane >= 16 ? 4 : 0;
    *row = half + (kind == K_F16 ? lane % 4 : (lane & 1) + (e & 2));
    *column = kind == K_F16 ? e : (e & 4) + (lane & 2) + (e & 1);
}
OP_FN(multiply_quads)
{
    const insn *next = NULL;
    if (!warp_meet(w, in, UINT32_MAX, &next)) return next;
    const product p = unpack_product(in->mod2);
    const int at_a = p.d == K_F16 ? 4 : 8, at_b = at_a + 2, at_c = at_b + 2;
    uint32_t out[8][32] = {{0}};
    for (int quad = 0; quad < 4; quad++) {
        matrix a, b, d;
        quad_factor(w, in, at_a, in->mod & QUAD_A_COL, quad, a);
        quad_factor(w, in, at_b, in->mod & QUAD_B_ROW, quad, b);
        for (int pass = 0; pass < 2; pass++) { /* first C into d, then d into D */
            for (int lane = 0; lane < 32; lane++) {
                if (lane % 16 / 4 != quad) continue;
                for (int e = 0; e < 8; e++) {
                    int row, column;
                    const enum kind kind = pass ? p.d : p.c;
                    const int reg = kind == K_F16 ? e / 2 : e, shift = kind == K_F16 ? 16 * (e & 1) : 0;
                    quad_spot(kind, lane, e, &row, &column);
                    if (pass) out[reg][lane] |= (uint32_t)bits_of(kind, d[row][column], false) << shift;
                    else d[row][column] = value_of(kind, SRC(uint32_t, place_of(in, at_c + reg))[lane] >> shift);
                }
            }
            if (!pass) multiply_chained(&p, a, b, d);
        }
    }
    for (int reg = 0; reg < at_a; reg++) set32(w, place_of(in, reg), out[reg]);
    return warp_met(w, in);
}

/* ---- memory ---- */
/* The bytes of some lanes, found, claimed and reported to the checkers. False: return NULL from the operation. */
static bool touch(struct warp *w, const insn *in, uint32_t lanes, uint32_t bytes, enum access_kind kind, reach *r,
                  const void *value)
{
    const uint32_t all = w->mask;
    w->mask = lanes & all;
    bool fine = !w->mask || (memory_reach(w, in, in->space, bytes, kind, r) &&
                             (!w->worker->launch->own || own_reach(w, in, r, bytes, kind, 0)) &&
                             (!w->watch || memory_watch(w, in, r, bytes, kind, ORDER_WEAK, value, false)));
    w->mask = all;
    return fine;
}
static void base_addresses(const struct warp *w, const insn *in, uint64_t *at)
{
    insn plain = *in;
    plain.imm = offset_of(in);
    lane_addresses(w, &plain, at);
}

/* insn.mod2 of wmma.load and wmma.store: the fragment; bit 24: memory runs along its rows; bit 25: a stride is given.
 * Places: o[4] address, o[5] stride, then the registers. */
enum { ALONG_ROWS = 1 << 24, HAS_STRIDE = 1 << 25, FIRST_REGISTER = 6 };
static uint32_t pack_fragment(const fragment *f)
{
    return (uint32_t)f->rows | (uint32_t)f->columns << 8 | (uint32_t)f->width << 16 | (uint32_t)f->kind << 20;
}
static fragment unpack_fragment(uint32_t v)
{
    return (fragment){(int)(v & 255), (int)(v >> 8 & 255), (int)(v >> 16 & 15), (enum kind)(v >> 20 & 15)};
}

/* Where `count` elements of unit u, from its element j on, lie for every lane. */
static void element_addresses(const struct warp *w, const insn *in, const fragment *f, const uint64_t *base, int u,
                              int j, uint64_t *at)
{
    const bool rows = in->mod2 & ALONG_ROWS;
    const uint64_t bytes = kinds[f->kind].bits / 8;
    for (int lane = 0; lane < 32; lane++) {
        uint64_t stride = in->mod2 & HAS_STRIDE ? SRC(uint32_t, place_of(in, 5))[lane]
                                                : (uint64_t)(rows ? f->columns : f->rows);
        uint64_t row = (uint64_t)row_of(f, lane, u), column = (uint64_t)(column_of(f, lane, u) + j);
        at[lane] = base[lane] + bytes * (rows ? row * stride + column : column * stride + row);
    }
}

OP_FN(load_fragment)
{
    const insn *next = NULL;
    if (!warp_meet(w, in, UINT32_MAX, &next)) return next;
    const fragment f = unpack_fragment(in->mod2);
    const int units = units_of(&f), bytes = kinds[f.kind].bits / 8, registers = in->count - FIRST_REGISTER;
    const int step = in->mod2 & ALONG_ROWS ? f.width : 1, per = registers_of(&f) / units; /* registers of a unit */
    uint64_t base[32], value[32][2]; /* of a unit: at most two registers */
    uint32_t low[32];
    base_addresses(w, in, base);
    for (int u = 0; u < units; u++) {
        memset(value, 0, sizeof value);
        for (int j = 0; j < f.width; j += step) {
            reach r;
            element_addresses(w, in, &f, base, u, j, r.at);
            if (!touch(w, in, UINT32_MAX, (uint32_t)(bytes * step), ACCESS_READ, &r, NULL)) return NULL;
            for (int lane = 0; lane < 32; lane++) {
                if (!(w->mask >> lane & 1)) continue;
                for (int i = j; i < j + step; i++) {
                    uint64_t raw = 0;
                    memcpy(&raw, r.host[lane] + (i - j) * bytes, (size_t)bytes);
                    if (per == 1) value[lane][0] |= raw << (8 * bytes * i) % 64;
                    else value[lane][i] = raw;
                }
            }
        }
        for (int i = 0; i < per; i++)
            for (int reg = u * per + i; reg < registers; reg += registers_of(&f)) { /* and its repetitions */
                const uint32_t place = place_of(in, FIRST_REGISTER + reg);
                for (int lane = 0; lane < 32; lane++) {
                    low[lane] = (uint32_t)value[lane][i];
                    if (bytes == 8 && w->lane[lane]) DST(uint64_t, place)[lane] = value[lane][i];
                }
                if (bytes != 8) set32(w, place, low);
            }
    }
    return warp_met(w, in);
}

OP_FN(store_fragment)
{
    const insn *next = NULL;
    if (!warp_meet(w, in, UINT32_MAX, &next)) return next;
    const fragment f = unpack_fragment(in->mod2);
    const int units = units_of(&f), bytes = kinds[f.kind].bits / 8, per = registers_of(&f) / units;
    const int step = in->mod2 & ALONG_ROWS ? f.width : 1, run = bytes * step;
    uint64_t base[32];
    char together[32 * 16];
    base_addresses(w, in, base);
    for (int u = 0; u < units; u++)
        for (int j = 0; j < f.width; j += step) {
            reach r;
            for (int i = j; i < j + step; i++) {
                const uint32_t place = place_of(in, FIRST_REGISTER + u * per + (per == 1 ? 0 : i));
                for (int lane = 0; lane < 32; lane++) {
                    uint64_t raw = bytes == 8 ? SRC(uint64_t, place)[lane] : SRC(uint32_t, place)[lane];
                    if (per == 1) raw >>= (8 * bytes * i) % 64;
                    memcpy(together + lane * run + (i - j) * bytes, &raw, (size_t)bytes);
                }
            }
            element_addresses(w, in, &f, base, u, j, r.at);
            if (!touch(w, in, UINT32_MAX, (uint32_t)run, ACCESS_WRITE, &r, together)) return NULL;
            for (int lane = 0; lane < 32; lane++)
                if (w->mask >> lane & 1) memcpy(r.host[lane], together + lane * run, (size_t)run);
        }
    return warp_met(w, in);
}

/* ---- 8 x 8 matrices of 16 bits ---- Lane l holds elements 2 * (l % 4) and the next of row l / 4, or of column l / 4
 * with .trans. In memory a row is 16 bytes; the lanes from 8 * i on say where the rows of matrix i lie. mod2: number
 * of matrices, TRANS. */
enum { TRANS = 8, FIRST_MATRIX = 5 };
typedef uint16_t tile[8][8];

static uint32_t tile_word(tile t, int lane, bool trans)
{
    int row = lane / 4, column = 2 * (lane % 4);
    return trans ? t[column][row] | (uint32_t)t[column + 1][row] << 16
                 : t[row][column] | (uint32_t)t[row][column + 1] << 16;
}
static void tile_from_words(tile t, const uint32_t *v, bool trans)
{
    for (int lane = 0; lane < 32; lane++)
        for (int j = 0; j < 2; j++) {
            int row = lane / 4, column = 2 * (lane % 4) + j;
            *(trans ? &t[column][row] : &t[row][column]) = (uint16_t)(v[lane] >> 16 * j);
        }
}
static uint32_t row_lanes(const insn *in)
{
    const uint32_t n = in->mod2 & 7;
    return n == 4 ? UINT32_MAX : (1u << 8 * n) - 1;
}

OP_FN(load_tiles)
{
    const insn *next = NULL;
    if (!warp_meet(w, in, UINT32_MAX, &next)) return next;
    reach r;
    tile tiles[4];
    uint32_t words[32];
    const uint32_t lanes = row_lanes(in) & w->mask;
    base_addresses(w, in, r.at);
    if (!touch(w, in, lanes, 16, ACCESS_READ, &r, NULL)) return NULL;
    memset(tiles, 0, sizeof tiles);
    for (int lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1) memcpy(tiles[lane / 8][lane % 8], r.host[lane], 16);
    for (int i = 0; i < (int)(in->mod2 & 7); i++) {
        for (int lane = 0; lane < 32; lane++) words[lane] = tile_word(tiles[i], lane, in->mod2 & TRANS);
        set32(w, place_of(in, FIRST_MATRIX + i), words);
    }
    return warp_met(w, in);
}

OP_FN(store_tiles)
{
    const insn *next = NULL;
    if (!warp_meet(w, in, UINT32_MAX, &next)) return next;
    reach r;
    tile tiles[4];
    const uint32_t lanes = row_lanes(in) & w->mask;
    base_addresses(w, in, r.at);
    memset(tiles, 0, sizeof tiles);
    for (int i = 0; i < (int)(in->mod2 & 7); i++)
        tile_from_words(tiles[i], SRC(uint32_t, place_of(in, FIRST_MATRIX + i)), in->mod2 & TRANS);
    if (!touch(w, in, lanes, 16, ACCESS_WRITE, &r, tiles)) return NULL;
    for (int lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1) memcpy(r.host[lane], tiles[lane / 8][lane % 8], 16);
    return warp_met(w, in);
}

OP_FN(turn_tile)
{
    const insn *next = NULL;
    if (!warp_meet(w, in, UINT32_MAX, &next)) return next;
    tile t;
    uint32_t words[32];
    tile_from_words(t, SRC(uint32_t, in->o[1]), false);
    for (int lane = 0; lane < 32; lane++) words[lane] = tile_word(t, lane, true);
    set32(w, in->o[0], words);
    return warp_met(w, in);
}

/* ---- selecting ---- */
enum { SET_MMA = 1, SET_WMMA = 2 };
static const struct shape_row {
    uint16_t suffix;
    uint8_t sets, m, n, k;
    uint16_t factors; /* a bit for each kind of factor that it exists for */
} shapes[] = {
    {S_M16N16K16, SET_WMMA, 16, 16, 16, 1 << K_F16 | 1 << K_BF16 | 1 << K_S8 | 1 << K_U8},
    {S_M8N32K16, SET_WMMA, 8, 32, 16, 1 << K_F16 | 1 << K_BF16 | 1 << K_S8 | 1 << K_U8},
    {S_M32N8K16, SET_WMMA, 32, 8, 16, 1 << K_F16 | 1 << K_BF16 | 1 << K_S8 | 1 << K_U8},
    {S_M16N16K8, SET_WMMA, 16, 16, 8, 1 << K_TF32},
    {S_M8N8K4, SET_WMMA, 8, 8, 4, 1 << K_F64},
    {S_M8N8K4, SET_MMA, 8, 8, 4, 1 << K_F16 | 1 << K_F64},
    {S_M16N8K4, SET_MMA, 16, 8, 4, 1 << K_TF32 | 1 << K_F64},
    {S_M16N8K8, SET_MMA, 16, 8, 8, 1 << K_F16 | 1 << K_BF16 | 1 << K_TF32 | 1 << K_F64},
    {S_M16N8K16, SET_MMA, 16, 8, 16, 1 << K_F16 | 1 << K_BF16 | 1 << K_F64 | 1 << K_S8 | 1 << K_U8},
    {S_M8N8K16, SET_MMA, 8, 8, 16, 1 << K_S8 | 1 << K_U8},
    {S_M16N8K32, SET_MMA, 16, 8, 32, 1 << K_S8 | 1 << K_U8},
};

static enum kind kind_of(enum ptx_type t)
{
    for (int k = 0; k < K_NONE; k++)
        if (kinds[k].type == t) return (enum kind)k;
    return K_NONE;
}
static const struct shape_row *take_shape(form *f, int set)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if ((shapes[i].sets & set) && form_take(f, (enum ptx_suffix)shapes[i].suffix)) return &shapes[i];
    form_refuse(f, "has no shape that is supported here");
    return NULL;
}

/* List the registers of a fragment. */
static bool take_registers(form *f, const ptx_operand *op, int count, enum kind kind, bool is_result)
{
    const ptx_operand *e = op->kind == O_VECTOR ? op->elements : op;
    int n = op->kind == O_VECTOR ? op->count : 1;
    if (n != count) return form_refuse(f, "has another number of registers in a fragment than its shape and type say");
    const enum ptx_type t = kind == K_F64 ? T_B64 : T_B32;
    for (int i = 0; i < n; i++) {
        if (is_result) form_def(f, &e[i], t);
        else form_use(f, &e[i], t);
    }
    return true;
}
static int factor_registers(const form *f, int rows, int k, enum kind kind)
{
    const fragment shape = factor(rows, k, kind);
    return f->in->op == OP_WMMA && kind == K_F16 ? 8 : registers_of(&shape);
}

static bool fits(const product *p)
{
    const bool same = p->a == p->b;
    switch (p->a) {
    case K_F16: return same && (p->c == K_F16 || p->c == K_F32) && (p->d == K_F16 || p->d == K_F32);
    case K_BF16: case K_TF32: return same && p->c == K_F32 && p->d == K_F32;
    case K_F64: return same && p->c == K_F64 && p->d == K_F64;
    case K_S8: case K_U8: return (p->b == K_S8 || p->b == K_U8) && p->c == K_S32 && p->d == K_S32;
    default: return false;
    }
}

static bool select_product(form *f)
{
    const bool is_wmma = f->in->op == OP_WMMA;
    if (!form_take(f, S_SYNC) || !form_take(f, S_ALIGNED)) return form_refuse(f, "needs .sync.aligned");
    uint16_t layout[2] = {S_NONE, S_NONE};
    int layouts = 0;
    for (int i = 0; i < f->in->suffix_count; i++) {
        uint16_t s = f->in->suffix[i];
        if ((s == S_ROW || s == S_COL) && layouts < 2) form_take(f, (enum ptx_suffix)(layout[layouts++] = s));
    }
    if (layouts != 2) return form_refuse(f, "needs the layouts of both factors");
    const struct shape_row *s = take_shape(f, is_wmma ? SET_WMMA : SET_MMA);
    if (!s) return false;
    product p = {.m = s->m, .n = s->n, .k = s->k};
    p.d = kind_of(form_type(f));
    p.a = p.b = K_F16;
    if (!is_wmma || f->in->type_count > 2) {
        p.a = kind_of(form_type(f));
        p.b = kind_of(form_type(f));
    }
    p.c = kind_of(form_type(f));
    if (!fits(&p)) return form_refuse(f, "has types that do not go together");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) /* one suffix may name several rows */
        if (shapes[i].suffix == s->suffix && shapes[i].sets == s->sets && (shapes[i].factors >> p.a & 1))
            s = &shapes[i];
    if (!(s->factors >> p.a & 1)) return form_refuse(f, "has a shape that does not exist for these types");
    if (p.a == K_F64) form_take(f, S_RN);
    if (p.d == K_S32) p.saturate = form_take(f, S_SATFINITE);
    const bool quads = !is_wmma && p.a == K_F16 && p.m == 8;
    if (!is_wmma && !quads && (layout[0] != S_ROW || layout[1] != S_COL)) return form_refuse(f, "needs .row.col");
    if (!form_operands(f, 4, 4)) return false;

    const ptx_operand *o = f->in->operand;
    const fragment fc = accumulator(p.m, p.n, p.c), fd = accumulator(p.m, p.n, p.d);
    const int a = quads ? 2 : factor_registers(f, p.m, p.k, p.a), b = quads ? 2 : factor_registers(f, p.n, p.k, p.b);
    const int c = quads ? (p.c == K_F16 ? 4 : 8) : registers_of(&fc),
              d = quads ? (p.d == K_F16 ? 4 : 8) : registers_of(&fd);
    if (!take_registers(f, &o[0], d, p.d, true) || !take_registers(f, &o[1], a, p.a, false) ||
        !take_registers(f, &o[2], b, p.b, false) || !take_registers(f, &o[3], c, p.c, false))
        return false;
    f->count = (uint8_t)f->slots;
    f->fn = quads ? multiply_quads : multiply_fragments;
    f->mod = quads ? (layout[0] == S_COL ? QUAD_A_COL : 0) | (layout[1] == S_ROW ? QUAD_B_ROW : 0)
                   : (uint32_t)a | (uint32_t)b << 8;
    f->mod2 = pack_product(&p);
    f->matrix = 2u * (uint32_t)(p.m * p.n * p.k) * (quads ? 4 : 1); /* each quarter of the warp has a product of its own */
    return true;
}

static bool select_fragment(form *f, bool load)
{
    const bool is_a = load && form_take(f, S_A), is_b = load && !is_a && form_take(f, S_B);
    if (!is_a && !is_b && !form_take(f, load ? S_C : S_D))
        return form_refuse(f, load ? "needs .a, .b or .c" : "needs .d");
    if (!form_take(f, S_SYNC) || !form_take(f, S_ALIGNED)) return form_refuse(f, "needs .sync.aligned");
    const bool row = form_take(f, S_ROW);
    if (!row && !form_take(f, S_COL)) return form_refuse(f, "needs .row or .col");
    const struct shape_row *s = take_shape(f, SET_WMMA);
    if (!s) return false;
    f->space = take_space(f);
    if (f->space != SPACE_NONE && f->space != SPACE_GLOBAL && f->space != SPACE_SHARED)
        return form_refuse(f, "works on global and shared memory");
    const enum kind k = kind_of(form_type(f));
    const enum kind of_shape = s->suffix == S_M16N16K8 ? K_F32 : s->suffix == S_M8N8K4 ? K_F64 : K_NONE;
    const bool known = is_a || is_b ? k != K_NONE && (s->factors >> k & 1)
                                    : of_shape != K_NONE ? k == of_shape : k == K_F16 || k == K_F32 || k == K_S32;
    if (!known) return form_refuse(f, "has a shape that does not exist for this type");
    const fragment shape = is_a ? factor(s->m, s->k, k) : is_b ? factor(s->n, s->k, k) : accumulator(s->m, s->n, k);
    const int registers = is_a || is_b ? factor_registers(f, shape.rows, s->k, k) : registers_of(&shape);
    if (!form_operands(f, 2, 3)) return false;
    const ptx_operand *o = f->in->operand;
    form_address(f, &o[load ? 1 : 0]);
    f->mod2 = pack_fragment(&shape) | (row != is_b ? ALONG_ROWS : 0);
    if (f->in->operand_count == 3) {
        form_use(f, &o[2], T_B32);
        f->mod2 |= HAS_STRIDE;
    } else {
        f->slot[f->slots++].role = SLOT_UNUSED;
    }
    if (!take_registers(f, &o[load ? 0 : 1], registers, k, load)) return false;
    f->count = (uint8_t)f->slots;
    f->fn = load ? load_fragment : store_fragment;
    return true;
}

static bool select_tiles(form *f, bool load)
{
    if (!form_take(f, S_SYNC) || !form_take(f, S_ALIGNED)) return form_refuse(f, "needs .sync.aligned");
    if (!form_take(f, S_M8N8)) return form_refuse(f, "has no shape that is supported here");
    const int n = form_take(f, S_X1) ? 1 : form_take(f, S_X2) ? 2 : form_take(f, S_X4) ? 4 : 0;
    if (!n) return form_refuse(f, "needs .x1, .x2 or .x4");
    f->mod2 = (uint32_t)n | (form_take(f, S_TRANS) ? TRANS : 0);
    f->space = take_space(f);
    if (f->space != SPACE_NONE && f->space != SPACE_SHARED) return form_refuse(f, "works on shared memory");
    if (form_type(f) != T_B16) return form_refuse(f, "exists for .b16 only");
    if (!form_operands(f, 2, 2)) return false;
    form_address(f, &f->in->operand[load ? 1 : 0]);
    if (!take_registers(f, &f->in->operand[load ? 0 : 1], n, K_F16, load)) return false;
    f->count = (uint8_t)f->slots;
    f->fn = load ? load_tiles : store_tiles;
    return true;
}

static bool select_turn(form *f)
{
    bool complete = form_take(f, S_SYNC) && form_take(f, S_ALIGNED) && form_take(f, S_M8N8) && form_take(f, S_TRANS);
    if (!complete || form_type(f) != T_B16) return form_refuse(f, "exists as .sync.aligned.m8n8.trans.b16");
    form_shape(f, T_B32, T_B32, T_NONE, T_NONE);
    f->fn = turn_tile;
    return true;
}

bool SIM_NAME(select_tensor)(form *f)
{
    f->cls = SIM_CLASS_TENSOR;
    f->splits = true; /* waits for the lanes of the warp */
    switch (f->in->op) {
    case OP_MMA: return select_product(f);
    case OP_MOVMATRIX: return select_turn(f);
    case OP_LDMATRIX: case OP_STMATRIX:
        f->has_slot = true;
        return select_tiles(f, f->in->op == OP_LDMATRIX);
    case OP_WMMA:
        if (form_take(f, S_MMA)) return select_product(f);
        f->has_slot = true;
        if (form_take(f, S_LOAD)) return select_fragment(f, true);
        if (form_take(f, S_STORE)) return select_fragment(f, false);
        return form_refuse(f, "needs .load, .mma or .store");
    default: return form_refuse(f, "is not supported here");
    }
}
