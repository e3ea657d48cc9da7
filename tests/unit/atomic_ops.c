/* atomic_ops.c: every atomic operation on every type, in global, shared and generic memory, against
 * plain C.
 *
 * The reference takes the lanes one after the other, in ascending order, and works on numbers:
 * halves are decoded to double, added exactly and rounded once. Memory holds 64 elements. The lanes
 * access one element each, all the same one, or a mixture.
 */
#include "kernel.h"

enum what { ADD, AND, OR, XOR, MIN, MAX, INC, DEC, EXCH, CAS };
static const char *const names[] = {"add", "and", "or", "xor", "min", "max", "inc", "dec", "exch", "cas"};

typedef struct atom_case {
    enum what what;
    const char *type;
    char kind; /* u s b f h g: unsigned, signed, bits, float, half, bfloat */
    int bits;
    int pair;   /* packed halves */
    int vector; /* 1, or the number of elements of .v */
} atom_case;

static const atom_case cases[] = {
    {ADD, "u32", 'u', 32, 0, 1},          {ADD, "s32", 's', 32, 0, 1},          {ADD, "u64", 'u', 64, 0, 1},
    {ADD, "f32", 'f', 32, 0, 1},          {ADD, "f64", 'f', 64, 0, 1},          {AND, "b32", 'b', 32, 0, 1},
    {AND, "b64", 'b', 64, 0, 1},          {OR, "b32", 'b', 32, 0, 1},           {OR, "b64", 'b', 64, 0, 1},
    {XOR, "b32", 'b', 32, 0, 1},          {XOR, "b64", 'b', 64, 0, 1},          {MIN, "u32", 'u', 32, 0, 1},
    {MIN, "s32", 's', 32, 0, 1},          {MIN, "u64", 'u', 64, 0, 1},          {MIN, "s64", 's', 64, 0, 1},
    {MAX, "u32", 'u', 32, 0, 1},          {MAX, "s32", 's', 32, 0, 1},          {MAX, "u64", 'u', 64, 0, 1},
    {MAX, "s64", 's', 64, 0, 1},          {INC, "u32", 'u', 32, 0, 1},          {DEC, "u32", 'u', 32, 0, 1},
    {EXCH, "b32", 'b', 32, 0, 1},         {EXCH, "b64", 'b', 64, 0, 1},         {CAS, "b16", 'b', 16, 0, 1},
    {CAS, "b32", 'b', 32, 0, 1},          {CAS, "b64", 'b', 64, 0, 1},          {ADD, "noftz.f16", 'h', 16, 0, 1},
    {ADD, "noftz.bf16", 'g', 16, 0, 1},   {ADD, "noftz.f16x2", 'h', 32, 1, 1},  {ADD, "noftz.bf16x2", 'g', 32, 1, 1},
    {ADD, "f32", 'f', 32, 0, 2},          {ADD, "f32", 'f', 32, 0, 4},          {ADD, "noftz.f16", 'h', 16, 0, 2},
    {ADD, "noftz.f16", 'h', 16, 0, 4},    {MIN, "noftz.f16", 'h', 16, 0, 2},    {MAX, "noftz.f16", 'h', 16, 0, 4},
    {ADD, "noftz.bf16", 'g', 16, 0, 2},   {MIN, "noftz.bf16", 'g', 16, 0, 4},   {MAX, "noftz.bf16", 'g', 16, 0, 2},
    {ADD, "noftz.f16x2", 'h', 32, 1, 2},  {MIN, "noftz.f16x2", 'h', 32, 1, 2},  {MAX, "noftz.f16x2", 'h', 32, 1, 4},
    {ADD, "noftz.bf16x2", 'g', 32, 1, 4}, {MIN, "noftz.bf16x2", 'g', 32, 1, 2}, {MAX, "noftz.bf16x2", 'g', 32, 1, 2}};

/* ---- the reference ---- */
/* The value of a half or bfloat; NAN for a NaN. */
static double small_value(uint32_t h, char kind)
{
    int mantissa = kind == 'h' ? 10 : 7, bias = kind == 'h' ? 15 : 127;
    int e = (int)(h >> mantissa) & (kind == 'h' ? 31 : 255), m = (int)h & ((1 << mantissa) - 1);
    double v = e == (kind == 'h' ? 31 : 255) ? (m ? (double)NAN : (double)INFINITY)
               : e                           ? ldexp(1 + ldexp(m, -mantissa), e - bias)
                                             : ldexp(m, 1 - bias - mantissa);
    return h & 0x8000 ? -v : v;
}

static uint32_t small_bits(double v, char kind)
{
    int mantissa = kind == 'h' ? 10 : 7, bias = kind == 'h' ? 15 : 127;
    uint32_t sign = signbit(v) ? 0x8000u : 0, inf = kind == 'h' ? 0x7c00u : 0x7f80u;
    if (isnan(v)) return 0x7fff;
    if (isinf(v)) return sign | inf;
    if (v == 0) return sign;
    int e;
    frexp(v, &e);
    int unit = e - 1 - mantissa;
    if (unit < 1 - bias - mantissa) unit = 1 - bias - mantissa;
    double q = rint(ldexp(fabs(v), -unit)); /* in units in the last place; rint rounds to even */
    double rounded = ldexp(q, unit);
    double most = kind == 'h' ? 65504.0 : ldexp(255, 120);
    if (rounded > most) return sign | inf;
    if (rounded == 0) return sign;
    frexp(rounded, &e);
    if (e - 1 < 1 - bias) return sign | (uint32_t)ldexp(rounded, bias - 1 + mantissa);
    return sign | (uint32_t)(e - 1 + bias) << mantissa |
           ((uint32_t)ldexp(rounded, mantissa - (e - 1)) & ((1u << mantissa) - 1));
}

static uint32_t small_op(enum what what, uint32_t x, uint32_t b, char kind)
{
    double u = small_value(x, kind), v = small_value(b, kind);
    if (what == ADD) return small_bits(u + v, kind);
    if (isnan(u)) return isnan(v) ? 0x7fff : b;
    if (isnan(v)) return x;
    bool x_less = u < v || (u == v && signbit(u) && !signbit(v));
    return (what == MIN) == x_less ? x : b;
}

static float flushed(float v) { return fabsf(v) < 0x1p-126f ? copysignf(0, v) : v; }

static uint64_t apply(const atom_case *c, uint64_t x, uint64_t b, uint64_t other, bool flush)
{
    const uint64_t m = c->bits == 64 ? UINT64_MAX : (UINT64_C(1) << c->bits) - 1;
    if (c->kind == 'h' || c->kind == 'g') {
        uint64_t r = small_op(c->what, x & 0xffff, b & 0xffff, c->kind);
        return c->pair ? r | (uint64_t)small_op(c->what, (uint32_t)x >> 16, (uint32_t)b >> 16, c->kind) << 16 : r;
    }
    if (c->kind == 'f' && c->bits == 32) {
        uint32_t xb = (uint32_t)x, bb = (uint32_t)b, rb;
        float u, v, r;
        memcpy(&u, &xb, 4);
        memcpy(&v, &bb, 4);
        r = flush ? flushed(flushed(u) + flushed(v)) : u + v;
        memcpy(&rb, &r, 4);
        return isnan(r) ? 0x7fffffffu : rb;
    }
    if (c->kind == 'f') {
        double u, v, r;
        memcpy(&u, &x, 8);
        memcpy(&v, &b, 8);
        r = u + v;
        memcpy(&x, &r, 8);
        return x;
    }
    int64_t sx = c->bits == 32 ? (int32_t)x : (int64_t)x, sb = c->bits == 32 ? (int32_t)b : (int64_t)b;
    switch (c->what) {
    case ADD: return (x + b) & m;
    case AND: return x & b;
    case OR: return x | b;
    case XOR: return x ^ b;
    case MIN: return c->kind == 's' ? (sx < sb ? x : b) : x < b ? x : b;
    case MAX: return c->kind == 's' ? (sx > sb ? x : b) : x > b ? x : b;
    case INC: return x >= b ? 0 : x + 1;
    case DEC: return x == 0 || x > b ? b : x - 1;
    case EXCH: return b;
    default: return x == b ? other : x;
    }
}

/* ---- the kernel ---- */
enum { GLOBAL, SHARED, GENERIC, GENERIC_SHARED, PLACES };
static const char *const places[PLACES] = {"global", "shared", "generic", "generic shared"};

static const char *reg_of(const atom_case *c)
{
    return c->kind == 'f' ? (c->bits == 32 ? "f" : "fd") : c->bits == 16 ? "h" : c->bits == 32 ? "r" : "rd";
}

static void list_of(text *t, const char *reg, int first, int n)
{
    if (n > 1) put(t, "{");
    for (int k = 0; k < n; k++) put(t, "%s%%%s%d", k ? ", " : "", reg, first + k);
    if (n > 1) put(t, "}");
}

/* in: operands b (64 x 8 bytes per lane, 8 bytes per element); c follows 1024 bytes later. out: 512
 * bytes of memory, then results. */
static void write_kernel(text *t, const atom_case *c, int place, bool red, const char *qualifier)
{
    const char *reg = reg_of(c), *move = c->kind == 'f' ? "f" : "u";
    const bool shared = place == SHARED || place == GENERIC_SHARED;
    const int bytes = c->bits / 8 * c->vector;
    start(t, "", ".shared .align 16 .b8 room[1024];\n.reg .f32 %g<40>; .reg .f64 %gd<40>;");
    if (shared) { /* thread l copies words l, l + 32 ... of memory to shared memory */
        put(t, "mul.wide.u32 %%rd8, %%r1, 4;\nadd.u64 %%rd9, %%rd2, %%rd8;\nmov.u64 %%rd20, room;\nadd.u64 %%rd21, "
               "%%rd20, %%rd8;\n");
        for (int k = 0; k < 1024; k += 128)
            put(t, "ld.global.u32 %%r20, [%%rd9+%d];\nst.shared.u32 [%%rd21+%d], %%r20;\n", k, k);
        put(t, "bar.sync 0;\n");
        if (place == GENERIC_SHARED) put(t, "cvta.shared.u64 %%rd20, %%rd20;\n");
    } else {
        put(t, "mov.u64 %%rd20, %%rd2;\n");
    }
    put(t,
        "mad.wide.u32 %%rd10, %%r2, %d, %%rd20;\nmad.wide.u32 %%rd11, %%r1, %d, %%rd1;\nmad.wide.u32 %%rd12, %%r1, "
        "%d, %%rd2;\n",
        bytes, 8 * c->vector, 8 * c->vector);
    const char *f = c->kind == 'f' ? (c->bits == 32 ? "g" : "gd") : reg;
    for (int k = 0; k < c->vector; k++)
        put(t, "ld.global.%s%d %%%s%d, [%%rd11+%d];\n", move, c->bits, f, 24 + k, 8 * k);
    if (c->what == CAS) put(t, "ld.global.u%d %%%s30, [%%rd11+1024];\n", c->bits, reg);
    const char *space = place == GLOBAL   ? ".global"
                        : place == SHARED ? ".shared"
                                          : "",
               *vec = c->vector == 1   ? ""
                      : c->vector == 2 ? ".v2"
                                       : ".v4";
    put(t, "@!%%p1 bra done;\n");
    /* Scalar forms are .op.type, vector forms .op.noftz.vec.type: here the order of the suffixes
     * does not matter. */
    put(t, "%s%s%s.%s%s.%s ", red ? "red" : "atom", qualifier, space, names[c->what], vec, c->type);
    if (!red) {
        list_of(t, f, 32, c->vector);
        put(t, ", ");
    }
    put(t, "[%%rd10], ");
    list_of(t, f, 24, c->vector);
    if (c->what == CAS) put(t, ", %%%s30", reg);
    put(t, ";\n");
    for (int k = 0; !red && k < c->vector; k++)
        put(t, "st.global.%s%d [%%rd12+%d], %%%s%d;\n", move, c->bits, 2048 + 8 * k, f, 32 + k);
    put(t, "done:\nbar.sync 0;\n");
    if (shared)
        for (int k = 0; k < 1024; k += 128)
            put(t, "ld.shared.u32 %%r20, [%%rd21+%d];\nst.global.u32 [%%rd9+%d], %%r20;\n", k, k);
    put(t, "ret;\n}\n");
}

/* Special values of the type, mixed with random ones. */
static uint64_t value_for(const atom_case *c)
{
    static const uint32_t f32s[] = {0,           0x80000000u, 0x3f800000u, 0xbf800000u, 1,          0x007fffffu,
                                    0x80000001u, 0x00800000u, 0x7f7fffffu, 0x7f800000u, 0xff800000u};
    static const uint32_t halves[] = {0,      0x8000, 0x3c00, 0xbc00, 1,      0x8001, 0x03ff, 0x0400,
                                      0x7bff, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7e01, 0x3f80, 0x0080};
    uint64_t r = rnd();
    if (c->kind == 'f' && c->bits == 32)
        return r % 3 ? f32s[(r >> 8) % 11] : (r >> 20 & 0x807fffff) | (uint64_t)(100 + (r >> 3) % 50) << 23;
    if (c->kind == 'f') return (r & ~(UINT64_C(0x7ff) << 52)) | (UINT64_C(1000) + (r >> 3) % 50) << 52;
    if (c->kind == 'h' || c->kind == 'g') {
        uint32_t a = r % 3 ? halves[(r >> 8) & 15] : (uint32_t)(r >> 30) & 0xffff,
                 b = r % 5 ? halves[(r >> 13) & 15] : (uint32_t)(r >> 40) & 0xffff;
        return c->pair ? a | (uint64_t)b << 16 : a;
    }
    if (c->what == INC || c->what == DEC || c->what == CAS) return r % 4;
    if (r % 4 == 0) r = (uint64_t)(int64_t)(int8_t)(r >> 8);
    return c->bits == 64 ? r : r & 0xffffffffu;
}

static bool run_case(bench *b, const atom_case *c, int place, bool red, const char *qualifier, sim_module *m,
                     int pattern, uint32_t mask)
{
    const int size = c->bits / 8, bytes = size * c->vector;
    unsigned char in[BYTES] = {0}, want[BYTES], got[BYTES];
    uint32_t idx[32];
    (void)qualifier;
    make_pattern(pattern, idx);
    for (int l = 0; l < 32; l++) idx[l] %= 64;
    memset(want, 0, sizeof want);
    for (int i = 0; i < 1024 / size; i++) {
        uint64_t v = value_for(c);
        memcpy(want + i * size, &v, (size_t)size);
    }
    memset(want + 2048, 0xee, 2048);
    for (int i = 0; i < 32 * c->vector; i++) {
        uint64_t v = value_for(c), w = value_for(c);
        memcpy(in + 8 * i, &v, (size_t)size);
        if (c->what == CAS) memcpy(in + 1024 + 8 * i, &w, (size_t)size);
    }
    sim_write(b->s, b->in, in, BYTES, &b->e);
    sim_write(b->s, b->out, want, BYTES, &b->e);
    sim_write(b->s, b->idx, idx, sizeof idx, &b->e);
    for (int l = 0; l < 32; l++)
        for (int k = 0; (mask >> l & 1) && k < c->vector; k++) {
            unsigned char *at = want + idx[l] * (uint32_t)bytes + k * size;
            uint64_t x = 0, v = 0, w = 0, r;
            memcpy(&x, at, (size_t)size);
            memcpy(&v, in + 8 * (l * c->vector + k), (size_t)size);
            memcpy(&w, in + 1024 + 8 * (l * c->vector + k), (size_t)size);
            r = apply(c, x, v, w, place == GLOBAL || place == GENERIC);
            memcpy(at, &r, (size_t)size);
            if (!red) memcpy(want + 2048 + 8 * (l * c->vector + k), &x, (size_t)size);
        }
    if (!run_once(b, m, mask, 0)) return false;
    sim_read(b->s, b->out, got, BYTES, &b->e);
    if (!memcmp(got, want, BYTES)) return true;
    for (int i = 0; i < BYTES; i += size)
        if (memcmp(got + i, want + i, (size_t)size)) {
            uint64_t g = 0, w = 0;
            memcpy(&g, got + i, (size_t)size);
            memcpy(&w, want + i, (size_t)size);
            printf("# byte %d: %llx, not %llx\n", i, (unsigned long long)g, (unsigned long long)w);
            break;
        }
    return false;
}

static void test_atom(bench *b, const atom_case *c, int place, bool red, const char *qualifier)
{
    static text t;
    write_kernel(&t, c, place, red, qualifier);
    sim_module *m = load(b, &t);
    bool good = m != NULL;
    for (int p = 0; good && p < PATTERNS; p++)
        for (int k = 0; good && k < MASKS; k++) {
            good = run_case(b, c, place, red, qualifier, m, p, masks[k]);
            if (!good) printf("# %s addresses, lanes %08x\n", pattern_names[p], masks[k]);
        }
    if (m) sim_unload(b->s, m);
    char vec[16] = "";
    if (c->vector > 1) snprintf(vec, sizeof vec, ".v%d", c->vector);
    check_that(good, "%s%s.%s%s.%s in %s memory", red ? "red" : "atom", qualifier, names[c->what], vec, c->type,
               places[place]);
}

static void tests(bench *b)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int place = 0; place < PLACES; place++) {
            const atom_case *c = &cases[i];
            if (c->vector > 1 && (place == SHARED || place == GENERIC_SHARED)) continue;
            if (c->vector < 4) test_atom(b, c, place, false, "");
            if (c->what != EXCH && c->what != CAS) test_atom(b, c, place, true, "");
        }
    static const char *const qualifiers[] = {".relaxed.cta",     ".acquire.gpu", ".release.sys",
                                             ".acq_rel.cluster", ".gpu",         ".cta"};
    for (int i = 0; i < 6; i++) test_atom(b, &cases[0], i % 2, false, qualifiers[i]);
}
