/* tensor.c: matrix fragments: wmma, mma.sync, ldmatrix, stmatrix, movmatrix.
 *
 * All lanes of the warp take part: the operations first wait for them. Operand lists are long, see
 * `place_of` in fragment.c.
 */
#include "fragment.c"
#include "ints.h"
#include "exec.h"

/* Waits for all lanes of the warp. False: *next says how to go on. */
static bool together(struct warp *w, const insn *in, const insn **next)
{
    if (!warp_meet_aligned(w, in, next)) return false;
    if (SIM_UNLIKELY(w->watch & WATCH_UNKNOWN)) unknown_warp(w, in);
    return true;
}

/* ---- products ---- */
/* insn.mod2 of a product. */
static uint32_t pack_product(const product *p)
{
    return (uint32_t)(p->m / 8) | (uint32_t)(p->n / 8) << 3 | (uint32_t)(p->k / 4) << 6 | (uint32_t)p->a << 12 |
           (uint32_t)p->b << 16 | (uint32_t)p->c << 20 | (uint32_t)p->d << 24 | (uint32_t)p->saturate << 28;
}
static product unpack_product(uint32_t v)
{
    return (product){.m = 8 * (int)(v & 7),
                     .n = 8 * (int)(v >> 3 & 7),
                     .k = 4 * (int)(v >> 6 & 63),
                     .a = (enum kind)(v >> 12 & 15),
                     .b = (enum kind)(v >> 16 & 15),
                     .c = (enum kind)(v >> 20 & 15),
                     .d = (enum kind)(v >> 24 & 15),
                     .saturate = v >> 28 & 1};
}

/* f16, bf16 and tf32: the factors and sums are floats. */
ALWAYS_INLINE void multiply_wide_as(struct warp *w, const insn *in, const product *p, int at_a, int at_b, int at_c)
{
    const fragment fa = factor(p->m, p->k, p->a), fb = factor(p->n, p->k, p->b);
    const fragment fc = accumulator(p->m, p->n, p->c), fd = accumulator(p->m, p->n, p->d);
    _Alignas(64) float a[MOST_WIDE], b[MOST_WIDE], d[MOST_RESULT];
    gather_floats(w, in, at_a, &fa, false, a);
    gather_floats(w, in, at_b, &fb, true, b);
    gather_float_sums(w, in, at_c, &fc, d);
    if (multiply_floats(p, a, b, d)) {
        scatter_floats(w, in, 0, &fd, d);
        return;
    }
    aligned wide_a, wide_b;
    double wide_d[MOST_RESULT];
    for (int i = 0; i < p->m * p->k; i++) wide_a.value[i] = (double)a[i];
    for (int i = 0; i < p->n * p->k; i++) wide_b.value[i] = (double)b[i];
    for (int i = 0; i < p->m * p->n; i++) wide_d[i] = (double)d[i];
    multiply_aligned(p, &wide_a, &wide_b, wide_d);
    scatter_sums(w, in, 0, &fd, wide_d, false);
}
static void multiply_wide(struct warp *w, const insn *in, const product *p, int at_a, int at_b, int at_c)
{
    /* the shapes that most kernels use, with all numbers known to the compiler */
    static const product bf16 = {16, 8, 16, K_BF16, K_BF16, K_F32, K_F32, false},
                         f16 = {16, 8, 16, K_F16, K_F16, K_F32, K_F32, false},
                         tf32 = {16, 8, 8, K_TF32, K_TF32, K_F32, K_F32, false};
    const uint32_t packed = pack_product(p);
    if (packed == pack_product(&bf16)) multiply_wide_as(w, in, &bf16, at_a, at_b, at_c);
    else if (packed == pack_product(&f16)) multiply_wide_as(w, in, &f16, at_a, at_b, at_c);
    else if (packed == pack_product(&tf32)) multiply_wide_as(w, in, &tf32, at_a, at_b, at_c);
    else multiply_wide_as(w, in, p, at_a, at_b, at_c);
}

/* f64: a register holds a row's or a column's number. */
static void multiply_doubles(struct warp *w, const insn *in, const product *p, int at_a, int at_b, int at_c)
{
    const fragment fa = factor(p->m, p->k, p->a), fb = factor(p->n, p->k, p->b), fd = accumulator(p->m, p->n, p->d);
    _Alignas(64) double a[MOST_DOUBLES], b[MOST_DOUBLES], c[MOST_DOUBLES], d[MOST_DOUBLES];
    gather_doubles(w, in, at_a, &fa, false, a);
    gather_doubles(w, in, at_b, &fb, true, b);
    gather_sums(w, in, at_c, &fd, c);
    memcpy(d, c, sizeof(double) * 8 * (size_t)p->m);
    switch (p->k / 4) {
    case 1: chain_rows(p->m, 1, a, b, d); break;
    case 2: chain_rows(p->m, 2, a, b, d); break;
    default: chain_rows(p->m, 4, a, b, d); break;
    }
    chain_nans(p->m, p->k / 4, a, b, c, d);
    scatter_sums(w, in, 0, &fd, d, false);
}

/* Places: d, a, b, c. `mod` is the number of registers of each factor, a | b << 8. */
OP_FN(multiply_fragments)
{
    const insn *next = NULL;
    if (!together(w, in, &next)) return next;
    const product p = unpack_product(in->mod2);
    const fragment fd = accumulator(p.m, p.n, p.d);
    const int at_a = registers_of(&fd), at_b = at_a + (int)(in->mod & 255), at_c = at_b + (int)(in->mod >> 8);
    if (p.a <= K_F64) {
        (p.a == K_F64 ? multiply_doubles : multiply_wide)(w, in, &p, at_a, at_b, at_c);
        return unknown_pause(w, warp_met(w, in));
    }
    const fragment fa = factor(p.m, p.k, p.a), fb = factor(p.n, p.k, p.b), fc = accumulator(p.m, p.n, p.c);
    aligned a, b;
    double d[MOST_RESULT];
    gather_factor(w, in, at_a, &fa, false, a.value);
    gather_factor(w, in, at_b, &fb, true, b.value);
    gather_sums(w, in, at_c, &fc, d);
    if (is_small(p.a)) multiply_small(&p, a.value, b.value, d);
    else multiply_exact(&p, a.value, b.value, d);
    scatter_sums(w, in, 0, &fd, d, p.saturate);
    return unknown_pause(w, warp_met(w, in));
}

/* Bits: adds the number of ones in a row of A and a column of B, combined by AND or XOR. Places and
 * `mod` as above; mod2 is BITS_AND or 0. */
enum { BITS_AND = 1 };
OP_FN(multiply_bits)
{
    const insn *next = NULL;
    if (!together(w, in, &next)) return next;
    const int a_count = (int)(in->mod & 255), b_count = (int)(in->mod >> 8), blocks = a_count / b_count;
    const int at_a = 2 * blocks, at_b = at_a + a_count, at_c = at_b + b_count;
    uint32_t out[4][32];
    for (int i = 0; i < 2 * blocks; i++) {
        const uint32_t *c = SRC(uint32_t, place_of(in, at_c + i));
        for (int l = 0; l < 32; l++) {
            uint32_t sum = c[l];
            for (int q = 0; q < b_count; q++) {
                const uint32_t *a = SRC(uint32_t, place_of(in, at_a + q * blocks + i / 2)) + l / 4 * 4;
                const uint32_t *b = SRC(uint32_t, place_of(in, at_b + q)) + (l % 4 * 2 + i % 2) * 4;
                for (int t = 0; t < 4; t++) sum += popc_32(in->mod2 & BITS_AND ? a[t] & b[t] : a[t] ^ b[t]);
            }
            out[i][l] = sum;
        }
    }
    for (int i = 0; i < 2 * blocks; i++) set32(w, place_of(in, i), out[i]);
    return unknown_pause(w, warp_met(w, in));
}

/* mma.m8n8k4 of f16: four products of 8 x 4 by 4 x 8. Lane l belongs to product (l % 16) / 4 and
 * has i = l % 4, + 4 for the upper 16 lanes. A factor holds four values: row i, k 0 to 3; or, in
 * the other orientation (A .col, B .row), k = l % 4, rows 0 to 3 or 4 to 7. f16 accumulators are
 * row i; those of f32 are spread as below. */
enum { QUAD_A_COL = 1, QUAD_B_ROW = 2 };
static inline int quad_lane(int quad, int i) { return 4 * quad + i % 4 + i / 4 * 16; } /* the i-th of eight */
static void quad_factor(const struct warp *w, const insn *in, int first, bool across, bool turn, int quad, double *to)
{
    uint32_t words[32];
    for (int i = 0; i < 8; i++)
        for (int e = 0; e < 4; e++) {
            const int row = across ? e + (i & 4) : i, k = across ? i & 3 : e;
            words[turn ? 8 * k + row : 4 * row + k] =
                SRC(uint32_t, place_of(in, first + e / 2))[quad_lane(quad, i)] >> 16 * (e & 1);
        }
    read_values(K_F16, words, 0, to);
}
/* Element e of lane i in an accumulator. */
static inline int quad_spot(enum kind kind, int i, int e)
{
    const int row = kind == K_F16 ? i : (i & 5) + (e & 2), column = kind == K_F16 ? e : (e & 4) + (i & 2) + (e & 1);
    return 8 * row + column;
}
OP_FN(multiply_quads)
{
    const insn *next = NULL;
    if (!together(w, in, &next)) return next;
    const product p = unpack_product(in->mod2);
    const int at_a = p.d == K_F16 ? 4 : 8, at_b = at_a + 2, at_c = at_b + 2;
    uint32_t out[8][32] = {{0}}, words[64];
    for (int quad = 0; quad < 4; quad++) {
        double a[32], b[32], d[64];
        quad_factor(w, in, at_a, in->mod & QUAD_A_COL, false, quad, a);
        quad_factor(w, in, at_b, in->mod & QUAD_B_ROW, true, quad, b);
        const int c_per = p.c == K_F16 ? 2 : 1, d_per = p.d == K_F16 ? 2 : 1; /* per register */
        for (int i = 0; i < 8; i++)
            for (int e = 0; e < 8; e++)
                words[quad_spot(p.c, i, e)] =
                    SRC(uint32_t, place_of(in, at_c + e / c_per))[quad_lane(quad, i)] >> 16 * (e % c_per);
        read_values(p.c, words, 0, d);
        read_values(p.c, words + 32, 0, d + 32);
        multiply_chained(&p, a, b, d);
        write_values(p.d, d, false, words);
        for (int i = 0; i < 8; i++)
            for (int e = 0; e < 8; e++)
                out[e / d_per][quad_lane(quad, i)] |= words[quad_spot(p.d, i, e)] << 16 * (e % d_per);
    }
    for (int reg = 0; reg < at_a; reg++) set32(w, place_of(in, reg), out[reg]);
    return unknown_pause(w, warp_met(w, in));
}

/* ---- memory ---- */
/* Finds, claims and reports the bytes of some lanes. False: the operation must return NULL. */
static bool touch(struct warp *w, const insn *in, uint32_t lanes, uint32_t bytes, enum access_kind kind, reach *r,
                  const void *value)
{
    const uint32_t all = w->mask;
    w->mask = lanes & all;
    bool fine =
        !w->mask ||
        ((w->mask == UINT32_MAX ? find_at(w, in, bytes, kind, r) : memory_reach(w, in, in->space, bytes, kind, r)) &&
         (!w->worker->launch->bet || bet_reach(w, in, r, bytes, kind, 0)) &&
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

/* insn.mod2 of wmma.load and wmma.store: the fragment; bit 24: memory runs along its rows; bit 25:
 * a stride is given. Places: o[4] address, o[5] stride, then the registers. */
enum { ALONG_ROWS = 1 << 24, HAS_STRIDE = 1 << 25, FIRST_REGISTER = 6 };
static uint32_t pack_fragment(const fragment *f)
{
    uint32_t width = 0; /* its logarithm */
    while (1 << width < f->width) width++;
    return (uint32_t)f->rows | (uint32_t)f->columns << 8 | width << 16 | (uint32_t)f->kind << 20;
}
static fragment unpack_fragment(uint32_t v)
{
    return (fragment){(int)(v & 255), (int)(v >> 8 & 255), 1 << (v >> 16 & 15), (enum kind)(v >> 20 & 15)};
}

/* The addresses, per lane, of `count` elements of unit u, from its element j on. */
static void element_addresses(const struct warp *w, const insn *in, const fragment *f, const uint64_t *base, int u,
                              int j, uint64_t *at)
{
    const bool rows = in->mod2 & ALONG_ROWS;
    const uint64_t bits = kinds[f->kind].bits;
    const uint32_t row = (uint32_t)row_of(f, 0, u), column = (uint32_t)(column_of(f, 0, u) + j),
                   width = (uint32_t)f->width;
    uint32_t stride[32];
    for (int l = 0; l < 32; l++) stride[l] = (uint32_t)(rows ? f->columns : f->rows);
    if (in->mod2 & HAS_STRIDE) memcpy(stride, SRC(uint32_t, place_of(in, 5)), sizeof stride);
    for (uint32_t l = 0; l < 32; l++) {
        const uint64_t r = row + l / 4, c = column + width * (l % 4);
        at[l] = base[l] + bits * (rows ? r * stride[l] + c : c * stride[l] + r) / 8;
    }
}

/* Where nobody watches, and all lanes give one address and one stride: where the first element lies, if all lie in one
 * region; and how far it is from one of the accesses' rows or columns to the next. NULL: each is looked at. */
static const char *plain_fragment(const struct warp *w, const insn *in, const fragment *f, const uint64_t *base,
                                  uint32_t bytes, uint64_t *line)
{
    const bool rows = in->mod2 & ALONG_ROWS;
    const uint64_t bits = kinds[f->kind].bits;
    const uint64_t lines = (uint64_t)(rows ? f->rows : f->columns), along = (uint64_t)(rows ? f->columns : f->rows);
    uint64_t unlike = 0, stride = along;
    for (int l = 0; l < 32; l++) unlike |= base[l] ^ base[0];
    if (in->mod2 & HAS_STRIDE) {
        const uint32_t *given = SRC(uint32_t, place_of(in, 5));
        for (int l = 0; l < 32; l++) unlike |= given[l] ^ given[0];
        stride = given[0];
    }
    region g;
    if (unlike || w->watch || w->mask != UINT32_MAX || bits < 8 || !expect_region(w, in, in->space, false, base[0], &g))
        return NULL;
    const uint64_t at = base[0] - g.start, first = bits / 8 * stride;
    if (!run_inside(at, (lines - 1) * first + along * bits / 8, &g) || (at | first) & (bytes - 1)) return NULL;
    const bool shared = in->space == SPACE_SHARED || g.start == SHARED_WINDOW;
    if (!shared && w->worker->launch->bet && w->worker->cache[in->slot]->tracked & TRACK_LOADS) return NULL;
    *line = first;
    return g.host + at;
}

/* A register's elements of four lanes are neighbours: eight copies bring them all. */
static inline void copy_rows(char *to, const char *from, uint64_t line, const size_t bytes)
{
    for (size_t g = 0; g < 8; g++) memcpy(to + g * bytes, from + g * line, bytes);
}

OP_FN(load_fragment)
{
    const insn *next = NULL;
    if (!together(w, in, &next)) return next;
    const fragment f = unpack_fragment(in->mod2);
    const int units = units_of(&f), bits = kinds[f.kind].bits, bytes = bits / 8, registers = in->count - FIRST_REGISTER;
    const int step = in->mod2 & ALONG_ROWS ? f.width : 1, per = registers_of(&f) / units; /* per unit */
    const bool whole = per == 1 && step * bits == 32; /* a register at once; else whole bytes */
    uint64_t base[32], value[32][2];                  /* of a unit: at most two registers */
    uint32_t low[32];
    base_addresses(w, in, base);
    uint64_t line = 0;
    const char *from = plain_fragment(w, in, &f, base, (uint32_t)(bits * step / 8), &line);
    if (from && in->mod2 & ALONG_ROWS && (whole || bits == 64)) {
        for (int reg = 0; reg < registers; reg++) {
            const int u = reg % units;
            const char *at = from + (uint64_t)row_of(&f, 0, u) * line + column_of(&f, 0, u) * bits / 8;
            char *to = DST(char, place_of(in, FIRST_REGISTER + reg));
            if (whole) copy_rows(to, at, line, 16);
            else copy_rows(to, at, line, 32);
        }
        return unknown_pause(w, warp_met(w, in));
    }
    for (int u = 0; u < units; u++) {
        memset(value, 0, sizeof value);
        for (int j = 0; j < f.width; j += step) {
            reach r;
            element_addresses(w, in, &f, base, u, j, r.at);
            if (!touch(w, in, UINT32_MAX, (uint32_t)(bits * step / 8), ACCESS_READ, &r, NULL)) return NULL;
            for (int lane = 0; lane < 32; lane++) {
                if (!(w->mask >> lane & 1)) continue;
                if (whole) memcpy(&value[lane][0], r.host[lane], 4);
                for (int i = j; i < j + step && !whole; i++) {
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
    return unknown_pause(w, warp_met(w, in));
}

OP_FN(store_fragment)
{
    const insn *next = NULL;
    if (!together(w, in, &next)) return next;
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
    return unknown_pause(w, warp_met(w, in));
}

/* ---- 8 x 8 matrices of 16 bits ---- Lane l holds elements 2 * (l % 4) and the next of row l / 4,
 * or of column l / 4 with .trans. In memory a row is 16 bytes; the lanes from 8 * i on say where
 * the rows of matrix i lie. mod2: number of matrices, TRANS. */
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
    if (!together(w, in, &next)) return next;
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
        if (in->mod2 & TRANS)
            for (int lane = 0; lane < 32; lane++) words[lane] = tile_word(tiles[i], lane, true);
        else memcpy(words, tiles[i], sizeof words); /* rows one after the other are the lanes in order */
        set32(w, place_of(in, FIRST_MATRIX + i), words);
    }
    return unknown_pause(w, warp_met(w, in));
}

OP_FN(store_tiles)
{
    const insn *next = NULL;
    if (!together(w, in, &next)) return next;
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
    return unknown_pause(w, warp_met(w, in));
}

OP_FN(turn_tile)
{
    const insn *next = NULL;
    if (!together(w, in, &next)) return next;
    tile t;
    uint32_t words[32];
    tile_from_words(t, SRC(uint32_t, in->o[1]), false);
    for (int lane = 0; lane < 32; lane++) words[lane] = tile_word(t, lane, true);
    set32(w, in->o[0], words);
    return unknown_pause(w, warp_met(w, in));
}

/* ---- selecting ---- */
enum { SET_MMA = 1, SET_WMMA = 2 };
static const struct shape_row {
    uint16_t suffix;
    uint8_t sets, m, n;
    uint16_t k;
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
    {S_M16N8K16, SET_MMA, 16, 8, 16,
     1 << K_F16 | 1 << K_BF16 | 1 << K_F64 | 1 << K_S8 | 1 << K_U8 | 1 << K_E4M3 | 1 << K_E5M2},
    {S_M8N8K16, SET_MMA, 8, 8, 16, 1 << K_S8 | 1 << K_U8},
    {S_M16N8K32, SET_MMA, 16, 8, 32, 1 << K_S8 | 1 << K_U8 | 1 << K_E4M3 | 1 << K_E5M2 | 1 << K_S4 | 1 << K_U4},
    {S_M16N8K64, SET_MMA, 16, 8, 64, 1 << K_S4 | 1 << K_U4},
    {S_M8N8K32, SET_MMA | SET_WMMA, 8, 8, 32, 1 << K_S4 | 1 << K_U4},
    {S_M8N8K128, SET_MMA | SET_WMMA, 8, 8, 128, 1 << K_B1},
    {S_M16N8K128, SET_MMA, 16, 8, 128, 1 << K_B1},
    {S_M16N8K256, SET_MMA, 16, 8, 256, 1 << K_B1},
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
    form_refuse(f, "has no supported shape");
    return NULL;
}

/* Lists the registers of a fragment. */
static bool take_registers(form *f, const ptx_operand *op, int count, enum kind kind, bool is_result)
{
    const ptx_operand *e = op->kind == O_VECTOR ? op->elements : op;
    int n = op->kind == O_VECTOR ? op->count : 1;
    if (n != count)
        return form_refuse(f, "has a number of registers in a fragment that does not match its shape and type");
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
    case K_BF16:
    case K_TF32: return same && p->c == K_F32 && p->d == K_F32;
    case K_F64: return same && p->c == K_F64 && p->d == K_F64;
    case K_S8:
    case K_U8: return (p->b == K_S8 || p->b == K_U8) && p->c == K_S32 && p->d == K_S32;
    case K_S4:
    case K_U4: return (p->b == K_S4 || p->b == K_U4) && p->c == K_S32 && p->d == K_S32;
    case K_B1: return same && p->c == K_S32 && p->d == K_S32;
    case K_E4M3:
    case K_E5M2: return is_small(p->b) && p->c == p->d && (p->d == K_F16 || p->d == K_F32);
    default: return false;
    }
}

static bool select_product(form *f)
{
    const bool is_wmma = f->in->op == OP_WMMA;
    if (form_take_any(f, (const uint16_t[]){S_SP, S_SP_ORDERED, S_NONE}))
        return form_refuse(f, "multiplies a sparse matrix, which is not supported here");
    if (!form_take(f, S_SYNC) || !form_take(f, S_ALIGNED)) return form_refuse(f, "needs .sync.aligned");
    uint16_t layout[2] = {S_NONE, S_NONE};
    int layouts = 0;
    for (int i = 0; i < f->in->suffix_count; i++) {
        uint16_t s = f->in->suffix[i];
        if ((s == S_ROW || s == S_COL) && layouts < 2) form_take(f, (enum ptx_suffix)(layout[layouts++] = s));
    }
    if (layouts != 2) return form_refuse(f, "needs the layouts of both matrices");
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
    if (!fits(&p)) return form_refuse(f, "has types that cannot be combined");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) /* a suffix may name several rows */
        if (shapes[i].suffix == s->suffix && shapes[i].sets == s->sets && (shapes[i].factors >> p.a & 1))
            s = &shapes[i];
    if (!(s->factors >> p.a & 1)) return form_refuse(f, "has a shape that does not exist for these types");
    if (p.a == K_F64) form_take(f, S_RN);
    if (is_wmma && kinds[p.a].bits < 8 && p.a != p.b) return form_refuse(f, "has types that cannot be combined");
    const bool and = p.a == K_B1 && form_take(f, S_AND);
    if (p.a == K_B1 && (!(and || form_take(f, S_XOR)) || !form_take(f, S_POPC)))
        return form_refuse(f, "needs .xor.popc or .and.popc");
    if (p.d == K_S32 && p.a != K_B1) p.saturate = form_take(f, S_SATFINITE);
    const bool quads = !is_wmma && p.a == K_F16 && p.m == 8;
    if ((!is_wmma || kinds[p.a].bits < 8) && !quads && (layout[0] != S_ROW || layout[1] != S_COL))
        return form_refuse(f, "needs .row.col");
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
    f->fn = quads ? multiply_quads : p.a == K_B1 ? multiply_bits : multiply_fragments;
    f->mod = quads ? (layout[0] == S_COL ? QUAD_A_COL : 0) | (layout[1] == S_ROW ? QUAD_B_ROW : 0)
                   : (uint32_t)a | (uint32_t)b << 8;
    f->mod2 = p.a == K_B1 ? (and? BITS_AND : 0) : pack_product(&p);
    /* each quarter of the warp has a product of its own */
    f->matrix = 2u * (uint32_t)(p.m * p.n * p.k) * (quads ? 4 : 1);
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
    const bool narrow = s->factors & (1 << K_S4 | 1 << K_B1);
    const enum kind of_shape = s->suffix == S_M16N16K8 ? K_F32
                               : s->suffix == S_M8N8K4 ? K_F64
                               : narrow                ? K_S32
                                                       : K_NONE;
    const bool known = is_a || is_b         ? k != K_NONE && (s->factors >> k & 1)
                       : of_shape != K_NONE ? k == of_shape
                                            : k == K_F16 || k == K_F32 || k == K_S32;
    if (!known) return form_refuse(f, "has a shape that does not exist for this type");
    if (narrow && (is_a || is_b) && row != is_a) return form_refuse(f, "loads this type as .a.row and .b.col only");
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
    if (!form_take(f, S_M8N8)) return form_refuse(f, "has no supported shape");
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
    if (!complete || form_type(f) != T_B16) return form_refuse(f, "exists as .sync.aligned.m8n8.trans.b16 only");
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
    case OP_LDMATRIX:
    case OP_STMATRIX: f->has_slot = true; return select_tiles(f, f->in->op == OP_LDMATRIX);
    case OP_WMMA:
        if (form_take(f, S_MMA)) return select_product(f);
        f->has_slot = true;
        if (form_take(f, S_LOAD)) return select_fragment(f, true);
        if (form_take(f, S_STORE)) return select_fragment(f, false);
        return form_refuse(f, "needs .load, .mma or .store");
    default: return form_refuse(f, "is not supported here");
    }
}
