/* fragment.c: which lane of a warp holds which element of a matrix, and the registers of a fragment
 * as numbers.
 *
 * A matrix is spread over the registers of a warp. With g = lane / 4 and t = lane % 4, nearly every
 * fragment that PTX documents is this one: unit u of lane (g, t) holds `width` neighbours of a row,
 *
 *     row  g + 8 * (u % (rows / 8))        columns  width * (t + 4 * (u / (rows / 8))) and on
 *
 * For the factors A and B width is what fits into 32 bits (1 for tf32 and f64); for the
 * accumulators C and D it is 2. B is seen transposed: its rows are n, its columns k. The fragments
 * of wmma, whose layout PTX leaves open, are the same; their f16 factors have more registers than
 * elements and repeat themselves. Only mma.m8n8k4 of f16 is different: four products, one for each
 * set of lanes with the same (lane % 16) / 4. Part of tensor.c.
 */
#include "float_product.c"

/* ---- fragments ---- */
typedef struct fragment {
    int rows, columns, width;
    enum kind kind;
} fragment;

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

/* ---- operands ---- */
/* Its address offset. */
static inline int64_t offset_of(const insn *in)
{
    if (in->count <= 8) return in->imm;
    const uint32_t *list = (const uint32_t *)in->ext + in->count;
    return (int64_t)((uint64_t)list[1] << 32 | list[0]);
}
static inline void set32(struct warp *w, uint32_t place, const uint32_t *v)
{
    uint32_t *d = DST(uint32_t, place);
    const uint32_t *on = w->lane;
    LANES d[l] = on[l] ? v[l] : d[l];
}

/* The transpose of eight rows of four. */
static inline void turn_words(const uint32_t *words, uint32_t *turned)
{
    for (int g = 0; g < 8; g++)
        for (int t = 0; t < 4; t++) turned[8 * t + g] = words[4 * g + t];
}

/* Fragments in the places from `first` on, in the order of product.c; and back. */
static void gather_factor(const struct warp *w, const insn *in, int first, const fragment *f, bool turn, double *to)
{
    const int units = units_of(f), bits = kinds[f->kind].bits, groups = f->columns / 4;
    for (int i = 0; i < units * f->width; i++) {
        const int u = i / f->width, j = i % f->width;
        const uint32_t place = place_of(in, first + (bits < 32 ? u : i));
        double *at = to + (u % (f->rows / 8) * groups + u / (f->rows / 8) * f->width + j) * 32;
        const uint32_t *words = SRC(uint32_t, place);
        uint32_t turned[32];
        if (turn) turn_words(words, turned);
        read_values(f->kind, turn ? turned : words, bits * j % 32, at);
    }
}
static void gather_doubles(const struct warp *w, const insn *in, int first, const fragment *f, bool turn, double *to)
{
    const int groups = f->columns / 4;
    for (int u = 0; u < units_of(f); u++) {
        const double *v = SRC(double, place_of(in, first + u));
        double *at = to + (u % (f->rows / 8) * groups + u / (f->rows / 8)) * 32;
        if (turn)
            for (int g = 0; g < 8; g++)
                for (int t = 0; t < 4; t++) at[8 * t + g] = v[4 * g + t];
        else memcpy(at, v, 32 * sizeof *at);
    }
}
static void gather_sums(const struct warp *w, const insn *in, int first, const fragment *f, double *to)
{
    const int units = units_of(f), bits = kinds[f->kind].bits;
    for (int u = 0; u < units; u++, to += 64) {
        const uint32_t low = place_of(in, first + (bits < 32 ? u : 2 * u)),
                       high = bits < 32 ? low : place_of(in, first + 2 * u + 1);
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
/* The same for f16, bf16, tf32 and f32, as f32. */
ALWAYS_INLINE void gather_floats(const struct warp *w, const insn *in, int first, const fragment *f, bool turn,
                                 float *to)
{
    const int units = units_of(f), bits = kinds[f->kind].bits, groups = f->columns / 4;
    for (int u = 0; u < units; u++) {
        const uint32_t *words = SRC(uint32_t, place_of(in, first + u));
        uint32_t turned[32];
        if (turn) turn_words(words, turned);
        for (int j = 0; j < f->width; j++)
            read_floats(f->kind, turn ? turned : words, bits * j % 32,
                        to + (u % (f->rows / 8) * groups + u / (f->rows / 8) * f->width + j) * 32);
    }
}
ALWAYS_INLINE void gather_float_sums(const struct warp *w, const insn *in, int first, const fragment *f, float *to)
{
    const int units = units_of(f), per = registers_of(f) / units;
    for (int u = 0; u < units; u++, to += 64) {
        float low[32], high[32];
        read_floats(f->kind, SRC(uint32_t, place_of(in, first + per * u)), 0, low);
        read_floats(f->kind, SRC(uint32_t, place_of(in, first + per * u + per - 1)), per == 1 ? 16 : 0, high);
        LANES to[2 * l] = low[l], to[2 * l + 1] = high[l];
    }
}
ALWAYS_INLINE void scatter_floats(struct warp *w, const insn *in, int first, const fragment *f, const float *from)
{
    for (int u = 0; u < units_of(f); u++, from += 64) {
        uint32_t low[32], high[32];
        LANES low[l] = f32_bits(from[2 * l]), high[l] = f32_bits(from[2 * l + 1]);
        set32(w, place_of(in, first + 2 * u), low);
        set32(w, place_of(in, first + 2 * u + 1), high);
    }
}
static void scatter_sums(struct warp *w, const insn *in, int first, const fragment *f, const double *from,
                         bool saturate)
{
    const int units = units_of(f), bits = kinds[f->kind].bits;
    for (int u = 0; u < units; u++, from += 64) {
        const uint32_t low = place_of(in, first + (bits < 32 ? u : 2 * u)),
                       high = bits < 32 ? low : place_of(in, first + 2 * u + 1);
        if (bits == 64) {
            for (int l = 0; l < 32; l++)
                if (w->lane[l]) DST(double, low)[l] = from[2 * l], DST(double, high)[l] = from[2 * l + 1];
            continue;
        }
        uint32_t words[64], v[2][32];
        write_values(f->kind, from, saturate, words);
        for (int l = 0; l < 32; l++)
            v[0][l] = words[2 * l] | (bits < 32 ? words[2 * l + 1] << 16 : 0), v[1][l] = words[2 * l + 1];
        set32(w, low, v[0]);
        if (bits == 32) set32(w, high, v[1]);
    }
}
