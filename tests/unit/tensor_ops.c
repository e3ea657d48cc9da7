/* tensor_ops.c: wmma, mma.sync, ldmatrix, stmatrix and movmatrix against matrices multiplied in
 * plain C.
 *
 * mma reads and writes registers, so its layouts are checked index by index with the formulas of
 * the PTX manual, one per shape. wmma goes from memory to memory in every combination of row and
 * column order. Sums of f16, bf16 and tf32 follow the rule in sim/exec/product.c (measured on an
 * H200), computed here in doubles: every term is cut to a multiple of 2^(top - 25), added, and the
 * sum cut to 24 digits. 8-bit floats follow ptxas for compute 9.0: f16 products of each register's
 * lower halves, plus those of the upper halves, then plus C. Last: what must be refused, and what
 * must fault.
 */
#include "kernel.h"

enum type { F16, BF16, TF32, F32, F64, S8, U8, S32, E4M3, E5M2, S4, U4, B1 };
static const struct {
    const char *name;
    int bits, digits, lowest;
} types[] = {{"f16", 16, 10, -14},   {"bf16", 16, 7, -126}, {"tf32", 32, 10, -126}, {"f32", 32, 23, -126},
             {"f64", 64, 52, -1022}, {"s8", 8, 0, 0},       {"u8", 8, 0, 0},        {"s32", 32, 0, 0},
             {"e4m3", 8, 3, -6},     {"e5m2", 8, 2, -14},   {"s4", 4, 0, 0},        {"u4", 4, 0, 0},
             {"b1", 1, 0, 0}};
typedef double matrix[32][256];

/* ---- values ---- */
static double value_of(enum type t, uint64_t u)
{
    switch (t) {
    case F64: {
        double d;
        memcpy(&d, &u, 8);
        return d;
    }
    case S8: return (int8_t)(uint8_t)u;
    case U8: return (uint8_t)u;
    case S4: return (u & 15) < 8 ? (double)(u & 15) : (double)(u & 15) - 16;
    case U4: return (double)(u & 15);
    case B1: return (double)(u & 1);
    case S32: return (int32_t)(uint32_t)u;
    default: break;
    }
    if (t == TF32) u &= 0xffffe000u;
    const int exponents = t == E4M3 ? 15 : t == F16 || t == E5M2 ? 31 : 255;
    int digits = t == TF32 ? 23 : types[t].digits, e = (int)(u >> digits) & exponents;
    double m = (double)(u & ((UINT64_C(1) << digits) - 1)), r;
    r = e ? ldexp(m + ldexp(1, digits), e - 1 + types[t].lowest - digits) : ldexp(m, types[t].lowest - digits);
    return u >> (types[t].bits - 1) & 1 ? -r : r;
}
static uint64_t bits_of(enum type t, double v)
{
    uint64_t u;
    float f = (float)v; /* exact: v has 24 digits */
    uint32_t w;
    switch (t) {
    case F64: memcpy(&u, &v, 8); return u;
    case F32: memcpy(&w, &f, 4); return w;
    case S32: return (uint32_t)(uint64_t)(int64_t)v;
    default: break;
    }
    int e; /* f16, to nearest even */
    if (v == 0) return 0;
    frexp(v, &e);
    e = e - 1 < -14 ? -14 : e - 1;
    double q = nearbyint(ldexp(fabs(v), 10 - e));
    uint64_t r = (uint64_t)q + ((uint64_t)(e + 14) << 10); /* the hidden digit adds one to the exponent */
    return (r > 0x7c00 ? 0x7c00 : r) | (v < 0 ? 0x8000 : 0);
}
/* Factors of -1, 0 and 1, and a C of full length: nothing is lost but the end of each sum. Else values of any size. */
static bool whole;

/* A random value of reasonable size. */
static uint64_t random_bits(enum type t)
{
    uint64_t r = rnd() >> 11;
    const double n = (double)(r % 3) - 1, c = (double)(float)(((double)(r % 9) - 4) * 12 / 11);
    if (whole && t == F32) return bits_of(F32, c);
    if (whole && t == F16) return bits_of(F16, n);
    if (whole && (t == BF16 || t == TF32)) return bits_of(F32, n) >> (t == BF16 ? 16 : 0);
    switch (t) {
    case F16: return (r & 0x83ff) | (r >> 20 & 15) % 12 << 10;
    case BF16: return (r & 0x807f) | (118 + (r >> 20 & 15)) << 7;
    case TF32:
    case F32: return (r & 0x807fffffu) | (118 + (r >> 40 & 15)) << 23;
    case F64: return (r & UINT64_C(0xfffffffffffff)) | (1018 + (rnd() & 7)) << 52 | (rnd() & 1) << 63;
    case S32: return r & 1 ? (uint32_t)(r >> 8) : (uint32_t)(r >> 30 & 1023);
    case E4M3: return (r & 0x87) | (r >> 20 & 15) % 10 << 3;
    case E5M2: return (r & 0x83) | (r >> 20 & 31) % 18 << 2;
    default: return r & 255;
    }
}

/* ---- products ---- */
static int exponent(enum type t, double v)
{
    int e;
    if (v == 0) return -9999;
    frexp(v, &e);
    const int lowest = t == E4M3 ? types[F16].lowest : types[t].lowest; /* e4m3 is multiplied as f16 */
    return e - 1 < lowest ? lowest : e - 1;
}
static double cut(double v, int unit) { return ldexp(trunc(ldexp(v, -unit)), unit); }
static double cut_to_f32(double v)
{
    int e;
    if (v == 0) return 0;
    frexp(v, &e);
    e = e - 24 < -149 ? -149 : e - 24;
    return cut(v, e);
}

typedef struct product {
    int m, n, k, step;
    enum type a, b, c, d;
    bool saturate, differ; /* differ, for B1: count the bits that differ, not those set in both */
} product;

/* c plus the products at `count` values of k, summed as a card does it. */
static double aligned_sum(const product *p, const double *a, const double *b, double c, const int *ks, int count)
{
    int top = exponent(p->c, c);
    for (int i = 0; i < count; i++) {
        int e = exponent(p->a, a[ks[i]]) + exponent(p->b, b[ks[i]]);
        top = e > top ? e : top;
    }
    if (top < -5000) return c;
    double sum = cut(c, top - 25);
    for (int i = 0; i < count; i++) sum += cut(a[ks[i]] * b[ks[i]], top - 25);
    return p->d == F32 || p->c == F32 ? cut_to_f32(sum) : sum;
}

static double element(const product *p, matrix a, matrix b, double c, int m, int n)
{
    if (p->a == F64 || p->d == S32) {
        for (int k = 0; k < p->k && p->a == B1; k++) c += p->differ ? a[m][k] != b[n][k] : a[m][k] * b[n][k];
        for (int k = 0; k < p->k && p->a != B1; k++) c = p->a == F64 ? fma(a[m][k], b[n][k], c) : c + a[m][k] * b[n][k];
        if (p->saturate) c = c > 2147483647.0 ? 2147483647.0 : c < -2147483648.0 ? -2147483648.0 : c;
        return c;
    }
    int ks[64];
    if (p->a == E4M3 || p->a == E5M2) {
        double sum = 0;
        for (int half = 0; half < 2; half++) {
            int count = 0;
            for (int k = 0; k < p->k; k++)
                if (k % 4 / 2 == half) ks[count++] = k;
            sum = aligned_sum(p, a[m], b[n], sum, ks, count);
            if (p->d == F16) sum = value_of(F16, bits_of(F16, sum));
        }
        return p->d == F16 ? sum + c : (double)((float)sum + (float)c);
    }
    for (int k = 0; k < p->k; k += p->step) {
        for (int i = 0; i < p->step; i++) ks[i] = k + i;
        c = aligned_sum(p, a[m], b[n], c, ks, p->step);
    }
    return c;
}
static double quad_element(matrix a, matrix b, double c, int m, int n) /* mma.m8n8k4 of f16 */
{
    float sum = (float)(a[m][0] * b[n][0]);
    for (int k = 1; k < 4; k++) sum = fmaf((float)a[m][k], (float)b[n][k], sum);
    return (double)(sum + (float)c);
}

/* ---- mma: the manual's layouts ---- */
enum part { A, B, C };
/* Row and column of element i of a lane; for B the row is k. False: there is no formula here. */
static bool spot(const product *p, enum part part, int lane, int i, int *row, int *column)
{
    const int g = lane >> 2, t = lane & 3, bits = types[p->a].bits;
    if (part == C) {
        *row = p->m == 8 || i < 2 ? g : g + 8;
        *column = t * 2 + (i & 1);
        return true;
    }
    if (bits < 8) {
        const int w = 32 / bits, word = i / w; /* one word per register; A's words alternate between rows */
        if (part == A) *row = p->m == 8 || word % 2 == 0 ? g : g + 8, *column = t * w + i % w + word / 2 * 4 * w;
        else *row = t * w + i % w + word * 4 * w, *column = g;
    } else if (bits == 16 && p->k == 16) {
        if (part == A) *row = i < 2 || (i >= 4 && i < 6) ? g : g + 8, *column = t * 2 + (i & 1) + (i >= 4 ? 8 : 0);
        else *row = t * 2 + (i & 1) + (i >= 2 ? 8 : 0), *column = g;
    } else if (bits == 16) { /* m16n8k8 */
        if (part == A) *row = i < 2 ? g : g + 8, *column = t * 2 + (i & 1);
        else *row = t * 2 + i, *column = g;
    } else if (bits >= 32 && p->k <= 8) { /* tf32 and f64: k4, k8 */
        if (part == A) *row = i % 2 == 0 || p->m == 8 ? g : g + 8, *column = i < 2 ? t : t + 4;
        else *row = i == 0 ? t : t + 4, *column = g;
    } else if (bits == 64) { /* m16n8k16 */
        if (part == A) *row = i % 2 == 0 ? g : g + 8, *column = i / 2 * 4 + t;
        else *row = i * 4 + t, *column = g;
    } else if (p->k == 32) { /* m16n8k32 of bytes */
        if (part == A) *row = i < 4 || (i >= 8 && i < 12) ? g : g + 8, *column = t * 4 + (i & 3) + (i >= 8 ? 16 : 0);
        else *row = t * 4 + (i & 3) + (i >= 4 ? 16 : 0), *column = g;
    } else { /* m8n8k16, m16n8k16 of bytes */
        if (part == A) *row = i < 4 ? g : g + 8, *column = t * 4 + (i & 3);
        else *row = t * 4 + i, *column = g;
    }
    return true;
}
static int elements(const product *p, enum part part)
{
    return (part == A ? p->m * p->k : part == B ? p->n * p->k : p->m * p->n) / 32;
}

static unsigned char expected[BYTES];

/* Element i of a lane in the registers from byte `at` on: a register's 32 lanes are contiguous. */
static uint64_t get(const unsigned char *from, int at, int bits, int lane, int i)
{
    int per = bits < 32 ? 32 / bits : 1, width = bits == 64 ? 8 : 4;
    uint64_t u = 0;
    memcpy(&u, from + at + i / per * 32 * width + lane * width, (size_t)width);
    return bits < 32 ? u >> bits * (i % per) & ((1u << bits) - 1) : u;
}
static void set(unsigned char *to, int at, int bits, int lane, int i, uint64_t v)
{
    int per = bits < 32 ? 32 / bits : 1, width = bits == 64 ? 8 : 4;
    for (int k = 0; k < bits / 8; k++)
        to[at + i / per * 32 * width + lane * width + bits / 8 * (i % per) + k] = (unsigned char)(v >> 8 * k);
}
static int part_bytes(int count, int bits) { return count * bits * 4; }

static void fill(int at, int bytes, enum type t)
{
    const int size = types[t].bits < 8 ? 1 : types[t].bits / 8;
    for (int i = 0; i < bytes; i += size) {
        uint64_t v = random_bits(t);
        memcpy(pool + at + i, &v, (size_t)size); /* little-endian, as everywhere in the simulator */
    }
}

/* Element `index` of a matrix in memory. */
static uint64_t element_bits(int at, int index, int bits)
{
    uint64_t u = 0;
    memcpy(&u, pool + at + index * bits / 8, bits < 8 ? 1 : (size_t)bits / 8);
    return bits < 8 ? u >> index * bits % 8 & ((1u << bits) - 1) : u;
}

static void list_registers(text *t, const char *prefix, int first, int count)
{
    put(t, "{");
    for (int i = 0; i < count; i++) put(t, "%s%%%s%d", i ? "," : "", prefix, first + i);
    put(t, "}");
}

/* Runs a kernel on `pool`; the first `bytes` of its output must be `expected`. */
static void run_case(bench *b, const text *t, int bytes, const char *name)
{
    static unsigned char got[BYTES];
    sim_module *m = load(b, t);
    bool good = false;
    memset(got, 0, sizeof got);
    if (m) {
        sim_write(b->s, b->in, pool, BYTES, &b->e);
        sim_write(b->s, b->out, got, BYTES, &b->e);
        good = run_once(b, m, UINT32_MAX, SIM_CHECK_ALL);
        sim_read(b->s, b->out, got, BYTES, &b->e);
        for (int i = 0; good && i < bytes; i++)
            if (got[i] != expected[i]) {
                printf("# byte %d: %02x, not %02x\n", i, got[i], expected[i]);
                good = false;
            }
        sim_unload(b->s, m);
    }
    check_that(good, "%s", name);
}

static void test_mma(bench *b, const product *p, const char *shape, const char *layouts, int quad)
{
    static text t;
    const enum type kind[4] = {p->a, p->b, p->c, p->d};
    const int count[4] = {quad ? 4 : elements(p, A), quad ? 4 : elements(p, B), quad ? 8 : elements(p, C),
                          quad ? 8 : elements(p, C)};
    int at[3], registers[4], used = 0;
    char name[120];
    snprintf(name, sizeof name, "mma.sync.aligned.%s.%s%s.%s.%s.%s.%s%s", shape, layouts,
             p->saturate ? ".satfinite" : "", types[p->d].name, types[p->a].name, types[p->b].name, types[p->c].name,
             p->a != B1  ? ""
             : p->differ ? ".xor.popc"
                         : ".and.popc");
    start(&t, "", "");
    put(&t, "mul.wide.u32 %%rd20, %%r1, 4;\nmul.wide.u32 %%rd21, %%r1, 8;\nadd.u64 %%rd22, %%rd1, %%rd20;\nadd.u64 "
            "%%rd23, %%rd1, %%rd21;\n");
    for (int i = 0; i < 4; i++) {
        int bits = types[kind[i]].bits;
        registers[i] = bits < 32 ? count[i] * bits / 32 : count[i];
        if (i == 3) break;
        at[i] = used;
        fill(used, part_bytes(count[i], bits), kind[i]);
        for (int r = 0; r < registers[i]; r++) {
            if (bits == 64) put(&t, "ld.global.b64 %%rd%d, [%%rd23+%d];\n", 24 + 8 * i + r - (i == 2 ? 4 : 0), used);
            else put(&t, "ld.global.b32 %%r%d, [%%rd22+%d];\n", 8 + 8 * i + r, used);
            used += bits == 64 ? 256 : 128;
        }
    }
    put(&t, "%s ", name);
    for (int i = 0; i < 4; i++) {
        int k = (i + 3) % 4; /* d a b c */
        bool wide = p->a == F64;
        if (i) put(&t, ", ");
        list_registers(&t, wide ? "rd" : "r",
                       k == 3 ? (wide ? 8 : 32) : (wide ? 24 : 8) + 8 * k - (wide && k == 2 ? 4 : 0), registers[k]);
    }
    put(&t, ";\nadd.u64 %%rd22, %%rd2, %%rd20;\nadd.u64 %%rd23, %%rd2, %%rd21;\n");
    for (int r = 0; r < registers[3]; r++)
        put(&t, p->d == F64 ? "st.global.b64 [%%rd23+%d], %%rd%d;\n" : "st.global.b32 [%%rd22+%d], %%r%d;\n",
            r * (p->d == F64 ? 256 : 128), (p->d == F64 ? 8 : 32) + r);
    put(&t, "ret;\n}\n");

    memset(expected, 0, sizeof expected);
    for (int q = 0; q < (quad ? 4 : 1); q++) {
        static matrix a, bm, c, d;
        for (int pass = 0; pass < 2; pass++)
            for (int lane = 0; lane < 32; lane++) {
                if (quad && lane % 16 / 4 != q) continue;
                const int half = lane >= 16 ? 4 : 0;
                for (int part = A; part <= C && !pass; part++)
                    for (int i = 0; i < count[part]; i++) {
                        int row = 0, column = 0;
                        double v = value_of(kind[part], get(pool, at[part], types[kind[part]].bits, lane, i));
                        if (!quad) spot(p, (enum part)part, lane, i, &row, &column);
                        else if (part == A && !strncmp(layouts, "row", 3)) row = lane % 4 + half, column = i;
                        else if (part == A) row = i + half, column = lane % 4;
                        else if (part == B && !strcmp(layouts + 4, "col")) row = i, column = lane % 4 + half;
                        else if (part == B) row = lane % 4, column = i + half;
                        else if (p->c == F16) row = lane % 4 + half, column = i;
                        else row = half + (lane & 1) + (i & 2), column = (i & 4) + (lane & 2) + (i & 1);
                        if (part == A) a[row][column] = v;
                        else if (part == B) bm[column][row] = v;
                        else c[row][column] = v;
                    }
                for (int i = 0; i < count[3] && pass; i++) {
                    int row, column;
                    if (!quad) spot(p, C, lane, i, &row, &column);
                    else if (p->d == F16) row = lane % 4 + half, column = i;
                    else row = half + (lane & 1) + (i & 2), column = (i & 4) + (lane & 2) + (i & 1);
                    d[row][column] = quad ? quad_element(a, bm, c[row][column], row, column)
                                          : element(p, a, bm, c[row][column], row, column);
                    set(expected, 0, types[p->d].bits, lane, i, bits_of(p->d, d[row][column]));
                }
            }
    }
    run_case(b, &t, part_bytes(count[3], types[p->d].bits), name);
}

/* ---- wmma ---- */
static void test_wmma(bench *b, const product *p, const char *shape, int orders)
{
    static text t;
    static const char *const order[] = {"row", "col"};
    const int la = orders & 1, lb = orders >> 1 & 1, lc = orders >> 2 & 1, bits = types[p->a].bits;
    const int a_at = 0, b_at = p->m * p->k * bits / 8, c_at = b_at + p->n * p->k * bits / 8;
    const int c_bytes = p->m * p->n * types[p->c].bits / 8, d_bytes = p->m * p->n * types[p->d].bits / 8;
    const int factor = p->a == F64 ? 64 : 32; /* bits per register */
    int registers[4] = {p->m * p->k * bits / 32 / factor, p->n * p->k * bits / 32 / factor, p->m * p->n / 32,
                        p->m * p->n / 32};
    char name[160], form[60];
    if (p->a == F16) registers[0] = registers[1] = 8;
    if (p->c == F16) registers[2] /= 2;
    if (p->d == F16) registers[3] /= 2;
    const int ld[3] = {la ? p->m : p->k, lb ? p->k : p->n, lc ? p->m : p->n};
    if (p->a == F16) snprintf(form, sizeof form, "%s.%s", types[p->d].name, types[p->c].name);
    else
        snprintf(form, sizeof form, "%s.%s.%s.%s", types[p->d].name, types[p->a].name, types[p->b].name,
                 types[p->c].name);
    snprintf(name, sizeof name, "wmma.mma%s.sync.aligned.%s.%s.%s%s.%s%s",
             p->a != B1  ? ""
             : p->differ ? ".xor.popc"
                         : ".and.popc",
             order[la], order[lb], shape, p->a == F64 ? ".rn" : "", form, p->saturate ? ".satfinite" : "");
    fill(a_at, b_at, p->a);
    fill(b_at, c_at - b_at, p->b);
    fill(c_at, c_bytes, p->c);
    start(&t, "", p->a == F64 ? ".reg .b64 %x<40>;" : ".reg .b32 %x<40>;");
    put(&t, "mov.u32 %%r5, %d;\n", ld[0]);
    put(&t, "wmma.load.a.sync.aligned.%s.%s.global.%s ", order[la], shape, types[p->a].name);
    list_registers(&t, "x", 0, registers[0]);
    put(&t, ", [%%rd1], %%r5;\nwmma.load.b.sync.aligned.%s.%s.%s ", order[lb], shape, types[p->b].name);
    list_registers(&t, "x", 8, registers[1]);
    put(&t, ", [%%rd1+%d], %d;\nwmma.load.c.sync.aligned.%s.%s.global.%s ", b_at, ld[1], order[lc], shape,
        types[p->c].name);
    list_registers(&t, "x", 16, registers[2]);
    put(&t, ", [%%rd1+%d];\n%s ", c_at, name); /* the usual stride */
    list_registers(&t, "x", 24, registers[3]);
    for (int i = 0; i < 3; i++) {
        put(&t, ", ");
        list_registers(&t, "x", 8 * i, registers[i]);
    }
    put(&t, ";\nwmma.store.d.sync.aligned.%s.%s.global.%s [%%rd2], ", order[lc], shape, types[p->d].name);
    list_registers(&t, "x", 24, registers[3]);
    put(&t, ", %d;\nret;\n}\n", ld[2]);

    static matrix a, bm;
    for (int k = 0; k < p->k; k++) {
        for (int m = 0; m < p->m; m++)
            a[m][k] = value_of(p->a, element_bits(a_at, la ? k * ld[0] + m : m * ld[0] + k, bits));
        for (int n = 0; n < p->n; n++)
            bm[n][k] = value_of(p->b, element_bits(b_at, lb ? n * ld[1] + k : k * ld[1] + n, bits));
    }
    for (int m = 0; m < p->m; m++)
        for (int n = 0; n < p->n; n++) {
            const int index = lc ? n * ld[2] + m : m * ld[2] + n, cb = types[p->c].bits / 8, db = types[p->d].bits / 8;
            uint64_t u = 0;
            memcpy(&u, pool + c_at + index * cb, (size_t)cb);
            u = bits_of(p->d, element(p, a, bm, value_of(p->c, u), m, n));
            memcpy(expected + index * db, &u, (size_t)db);
        }
    snprintf(name + strlen(name), sizeof name - strlen(name), ", c and d by %s", order[lc]);
    run_case(b, &t, d_bytes, name);
}

/* An e4m3 NaN, and a product of e5m2 infinity and zero, make their whole row NaN. */
static void test_no_number(bench *b)
{
    uint32_t want[32];
    for (int l = 0; l < 32; l++) want[l] = l < 4 ? 0x7fffffff : 0x3f800000;
    static const char *const kinds[] = {"e4m3", "e5m2"};
    for (int i = 0; i < 2; i++) {
        char body[600], name[60];
        snprintf(body, sizeof body,
                 "mov.b32 %%r5, 0; setp.eq.u32 %%p2, %%r1, 0; selp.b32 %%r6, %s, 0, %%p2;\n"
                 "mov.b32 %%r7, 0x3f800000;\n"
                 "mma.sync.aligned.m16n8k32.row.col.f32.%s.e4m3.f32 {%%r10,%%r11,%%r12,%%r13},{%%r6,%%r5,%%r5,%%r5},"
                 "{%%r5,%%r5},{%%r7,%%r7,%%r7,%%r7};\nst.global.b32 [%%rd9], %%r10;",
                 i ? "0x7c000000" : "0x7f", kinds[i]);
        snprintf(name, sizeof name, "mma of %s: no number", kinds[i]);
        test_words(b, name, "", "", body, 32, 0, want);
    }
}

/* ---- 8 x 8 matrices of 16 bits ---- */
static uint16_t word_at(const unsigned char *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}
static void test_tiles(bench *b, int n, bool trans)
{
    static text t;
    char name[60];
    for (int store = 0; store < 2; store++) {
        snprintf(name, sizeof name, "%s.sync.aligned.m8n8.x%d%s.shared.b16", store ? "stmatrix" : "ldmatrix", n,
                 trans ? ".trans" : "");
        start(&t, "", ".shared .align 16 .b8 sm[512];");
        put(&t, "mov.u32 %%r5, sm;\nshl.b32 %%r6, %%r1, 2;\nadd.u32 %%r6, %%r5, %%r6;\nmul.wide.u32 %%rd8, %%r1, "
                "4;\nadd.u64 %%rd9, %%rd1, %%rd8;\n"
                "add.u64 %%rd10, %%rd2, %%rd8;\nshl.b32 %%r7, %%r1, 4;\nadd.u32 %%r7, %%r5, %%r7;\nxor.b32 %%r7, "
                "%%r7, 16;\n"); /* rows swapped in pairs */
        for (int i = 0; i < 4; i++) put(&t, "ld.global.b32 %%r%d, [%%rd9+%d];\n", 10 + i, i * 128);
        if (store) {
            put(&t, "mov.u32 %%r20, 0;\n");
            for (int i = 0; i < 4; i++) put(&t, "st.shared.b32 [%%r6+%d], %%r20;\n", i * 128);
            put(&t, "bar.sync 0;\n%s [%%r7], ", name);
            list_registers(&t, "r", 10, n);
            put(&t, ";\nbar.sync 0;\n");
            for (int i = 0; i < 4; i++)
                put(&t, "ld.shared.b32 %%r20, [%%r6+%d];\nst.global.b32 [%%rd10+%d], %%r20;\n", i * 128, i * 128);
        } else {
            for (int i = 0; i < 4; i++) put(&t, "st.shared.b32 [%%r6+%d], %%r%d;\n", i * 128, 10 + i);
            put(&t, "bar.sync 0;\n%s ", name);
            list_registers(&t, "r", 20, n);
            put(&t, ", [%%r7];\n");
            for (int i = 0; i < n; i++) put(&t, "st.global.b32 [%%rd10+%d], %%r%d;\n", i * 128, 20 + i);
        }
        put(&t, "ret;\n}\n");
        memset(expected, 0, sizeof expected);
        for (int i = 0; i < n; i++)
            for (int lane = 0; lane < 32; lane++)
                for (int j = 0; j < 2; j++) {
                    int row = lane / 4, column = 2 * (lane % 4) + j, x = trans ? column : row, y = trans ? row : column;
                    int in_memory = ((8 * i + x) ^ 1) * 16 + y * 2, in_register = i * 128 + lane * 4 + j * 2;
                    uint16_t v = word_at(pool + (store ? in_register : in_memory));
                    memcpy(expected + (store ? in_memory : in_register), &v, 2);
                }
        run_case(b, &t, 512, name);
    }
}

static void test_movmatrix(bench *b)
{
    static text t;
    start(&t, "", "");
    put(&t, "mul.wide.u32 %%rd8, %%r1, 4;\nadd.u64 %%rd9, %%rd1, %%rd8;\nadd.u64 %%rd10, %%rd2, "
            "%%rd8;\nld.global.b32 %%r5, [%%rd9];\n"
            "movmatrix.sync.aligned.m8n8.trans.b16 %%r6, %%r5;\nst.global.b32 [%%rd10], %%r6;\nret;\n}\n");
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 8; column++)
            memcpy(expected + row * 16 + column * 2, pool + column * 16 + row * 2, 2);
    run_case(b, &t, 128, "movmatrix.sync.aligned.m8n8.trans.b16");
}

/* ---- mistakes ---- */
static void test_wrong(bench *b)
{
    static const struct {
        const char *body;
        enum sim_fault_kind kind;
    } faults[] = {
        {"mov.u32 %r5, sm; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r5+8];", SIM_FAULT_MISALIGNED},
        {"mov.u32 %r5, sm; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6,%r7,%r8,%r9}, [%r5+512];",
         SIM_FAULT_OUT_OF_BOUNDS},
        {"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1+4096], {%r1,%r1,%r1,%r1};", SIM_FAULT_OUT_OF_BOUNDS},
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15}, [%rd1], 1024;",
         SIM_FAULT_OUT_OF_BOUNDS},
        {"wmma.load.b.sync.aligned.col.m16n16k16.f16 {%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15}, [%rd1+4096], 16;",
         SIM_FAULT_OUT_OF_BOUNDS},
        {"wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15}, [%rd1+2], 16;",
         SIM_FAULT_MISALIGNED},
        {"wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], {%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1}, 0x40000000;",
         SIM_FAULT_OUT_OF_BOUNDS},
    };
    static const char *const refused[] = {
        "mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32 "
        "{%r4,%r5,%r6,%r7},{%r4,%r5,%r6,%r7},{%r4,%r5},{%r4,%r5,%r6,%r7};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%r4,%r5,%r6,%r7},{%r4,%r5,%r6},{%r4,%r5},{%r4,%r5,%r6,%r7};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 "
        "{%r4,%r5,%r6,%r7},{%r4,%r5,%r6,%r7},{%r4,%r5},{%r4,%r5,%r6,%r7};",
        "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
        "{%r4,%r5,%r6,%r7},{%r4,%r5,%r6,%r7},{%r4,%r5},{%r4,%r5,%r6,%r7};",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32 "
        "{%r4,%r5,%r6,%r7},{%r4,%r5,%r6,%r7},{%r4,%r5},{%r4,%r5,%r6,%r7};",
        "wmma.load.a.sync.aligned.row.m16n16k8.global.f16 {%r8,%r9,%r10,%r11}, [%rd1], 16;",
        "wmma.load.a.sync.aligned.row.m16n16k16.local.f16 {%r8,%r9,%r10,%r11,%r12,%r13,%r14,%r15}, [%rd1], 16;",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f16 {%r4,%r5,%r6,%r7},{%r4,%r5,%r6,%r7},{%r4,%r5},{%r4,%r5};",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.s8.f32 {%r4,%r5,%r6,%r7},"
        "{%r4,%r5,%r6,%r7},{%r4,%r5},{%r4,%r5,%r6,%r7};",
        "mma.sync.aligned.m16n8k64.row.col.s32.s4.s8.s32 {%r4,%r5,%r6,%r7},"
        "{%r4,%r5,%r6,%r7},{%r4,%r5},{%r4,%r5,%r6,%r7};",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 {%r4,%r5},{%r4},{%r5},{%r4,%r5};",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.or.popc {%r4,%r5},{%r4},{%r5},{%r4,%r5};",
        "mma.sync.aligned.m8n8k128.row.col.satfinite.s32.b1.b1.s32.xor.popc {%r4,%r5},{%r4},{%r5},{%r4,%r5};",
        "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.u4.s32 {%r4,%r5},{%r4},{%r5},{%r4,%r5};",
        "wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 {%r4,%r5},{%r4},{%r5},{%r4,%r5};",
        "wmma.load.a.sync.aligned.col.m8n8k32.global.s4 {%r4}, [%rd1], 32;",
        "wmma.load.b.sync.aligned.row.m8n8k128.global.b1 {%r4}, [%rd1], 128;",
        "mov.s4 %r4, %r5;",
        "ld.global.e4m3 %h4, [%rd1];",
        "cvt.rn.f16.e4m3 %h4, %h5;",
        "add.b1 %r4, %r4, %r5;",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6}, [%r5];",
        "ldmatrix.sync.aligned.m8n8.x1.global.b16 {%r6}, [%rd1];",
    };
    static text t;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sim_result r = {0};
        start(&t, "", ".shared .align 16 .b8 sm[512];");
        put(&t, "%s\nret;\n}\n", faults[i].body);
        sim_module *m = load(b, &t);
        int code = m ? launch(b, m, UINT32_MAX, 32, 0, &r) : SIM_OK;
        bool good = code == SIM_E_FAULT && r.fault_count == 1 && r.faults[0].kind == faults[i].kind;
        if (m && !good) printf("# code %d: %s\n", code, r.fault_count ? r.faults[0].message : b->e.message);
        sim_result_free(&r);
        if (m) sim_unload(b->s, m);
        check_that(good, "faults: %.60s", faults[i].body);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        sim_module *m = NULL;
        start(&t, "", "");
        put(&t, "%s\nret;\n}\n", refused[i]);
        int code = sim_load(b->s, "case.ptx", t.s, t.n, &m, &b->e);
        if (m) sim_unload(b->s, m);
        check_that(code == SIM_E_REFUSED, "refused: %.80s", refused[i]);
    }
}

static void tests(bench *b)
{
    static const struct {
        product p;
        const char *shape;
    } list[] = {
        {{16, 8, 8, 8, F16, F16, F32, F32, false, false}, "m16n8k8"},
        {{16, 8, 16, 16, F16, F16, F32, F32, false, false}, "m16n8k16"},
        {{16, 8, 8, 8, F16, F16, F16, F16, false, false}, "m16n8k8"},
        {{16, 8, 16, 16, F16, F16, F16, F16, false, false}, "m16n8k16"},
        {{16, 8, 8, 8, BF16, BF16, F32, F32, false, false}, "m16n8k8"},
        {{16, 8, 16, 16, BF16, BF16, F32, F32, false, false}, "m16n8k16"},
        {{16, 8, 4, 4, TF32, TF32, F32, F32, false, false}, "m16n8k4"},
        {{16, 8, 8, 8, TF32, TF32, F32, F32, false, false}, "m16n8k8"},
        {{8, 8, 4, 4, F64, F64, F64, F64, false, false}, "m8n8k4"},
        {{16, 8, 4, 4, F64, F64, F64, F64, false, false}, "m16n8k4"},
        {{16, 8, 8, 8, F64, F64, F64, F64, false, false}, "m16n8k8"},
        {{8, 8, 16, 16, S8, U8, S32, S32, false, false}, "m8n8k16"},
        {{16, 8, 16, 16, U8, S8, S32, S32, true, false}, "m16n8k16"},
        {{16, 8, 32, 32, S8, S8, S32, S32, false, false}, "m16n8k32"},
        {{16, 8, 32, 32, U8, U8, S32, S32, true, false}, "m16n8k32"},
        {{16, 8, 16, 16, E4M3, E4M3, F32, F32, false, false}, "m16n8k16"},
        {{16, 8, 16, 16, E5M2, E4M3, F16, F16, false, false}, "m16n8k16"},
        {{16, 8, 32, 32, E4M3, E5M2, F32, F32, false, false}, "m16n8k32"},
        {{16, 8, 32, 32, E5M2, E5M2, F32, F32, false, false}, "m16n8k32"},
        {{16, 8, 32, 32, E4M3, E4M3, F16, F16, false, false}, "m16n8k32"},
        {{8, 8, 32, 32, S4, U4, S32, S32, false, false}, "m8n8k32"},
        {{16, 8, 32, 32, U4, S4, S32, S32, true, false}, "m16n8k32"},
        {{16, 8, 64, 64, S4, S4, S32, S32, false, false}, "m16n8k64"},
        {{16, 8, 64, 64, U4, U4, S32, S32, true, false}, "m16n8k64"},
        {{8, 8, 128, 128, B1, B1, S32, S32, false, true}, "m8n8k128"},
        {{16, 8, 128, 128, B1, B1, S32, S32, false, false}, "m16n8k128"},
        {{16, 8, 256, 256, B1, B1, S32, S32, false, true}, "m16n8k256"},
        {{16, 8, 256, 256, B1, B1, S32, S32, false, false}, "m16n8k256"},
    };
    static const struct {
        product p;
        const char *shape;
    } fragments[] = {
        {{16, 16, 16, 16, F16, F16, F32, F32, false, false}, "m16n16k16"},
        {{16, 16, 16, 16, F16, F16, F16, F16, false, false}, "m16n16k16"},
        {{16, 16, 16, 16, F16, F16, F16, F32, false, false}, "m16n16k16"},
        {{8, 32, 16, 16, F16, F16, F32, F32, false, false}, "m8n32k16"},
        {{32, 8, 16, 16, F16, F16, F32, F16, false, false}, "m32n8k16"},
        {{16, 16, 16, 16, BF16, BF16, F32, F32, false, false}, "m16n16k16"},
        {{8, 32, 16, 16, BF16, BF16, F32, F32, false, false}, "m8n32k16"},
        {{32, 8, 16, 16, BF16, BF16, F32, F32, false, false}, "m32n8k16"},
        {{16, 16, 8, 4, TF32, TF32, F32, F32, false, false}, "m16n16k8"},
        {{8, 8, 4, 4, F64, F64, F64, F64, false, false}, "m8n8k4"},
        {{16, 16, 16, 16, S8, S8, S32, S32, false, false}, "m16n16k16"},
        {{8, 32, 16, 16, U8, U8, S32, S32, true, false}, "m8n32k16"},
        {{32, 8, 16, 16, S8, S8, S32, S32, false, false}, "m32n8k16"},
    };
    static const struct {
        product p;
        const char *shape;
    } narrow[] = {
        /* A by rows, B by columns */
        {{8, 8, 32, 32, S4, S4, S32, S32, false, false}, "m8n8k32"},
        {{8, 8, 32, 32, U4, U4, S32, S32, true, false}, "m8n8k32"},
        {{8, 8, 128, 128, B1, B1, S32, S32, false, true}, "m8n8k128"},
        {{8, 8, 128, 128, B1, B1, S32, S32, false, false}, "m8n8k128"},
    };
    static const char *const orders[] = {"row.row", "row.col", "col.row", "col.col"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) test_mma(b, &list[i].p, list[i].shape, "row.col", 0);
    for (int i = 0; i < 4; i++) {
        const product wide = {8, 8, 4, 4, F16, F16, F32, F32, false, false},
                      mixed = {8, 8, 4, 4, F16, F16, F16, F32, false, false};
        test_mma(b, &wide, "m8n8k4", orders[i], 1);
        test_mma(b, &mixed, "m8n8k4", orders[i], 1);
    }
    for (size_t i = 0; i < sizeof fragments / sizeof *fragments; i++)
        for (int k = 0; k < 8; k++) test_wmma(b, &fragments[i].p, fragments[i].shape, k);
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        for (int k = 2; k < 8; k += 4) test_wmma(b, &narrow[i].p, narrow[i].shape, k);
    whole = true;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].p.d == F32) test_mma(b, &list[i].p, list[i].shape, "row.col", 0);
    for (size_t i = 0; i < sizeof fragments / sizeof *fragments; i++)
        if (fragments[i].p.d == F32) test_wmma(b, &fragments[i].p, fragments[i].shape, 1);
    whole = false;
    test_no_number(b);
    for (int n = 1; n <= 4; n *= 2) test_tiles(b, n, false), test_tiles(b, n, true);
    test_movmatrix(b);
    test_wrong(b);
}
