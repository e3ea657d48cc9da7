/* ops.h: runs single PTX instructions on the simulator and compares them with references in plain
 * C.
 *
 * A test is an instruction (or several in braces, with $g in place of a guard) with $d (result),
 * $q (second result) and $a $b $c $e (sources) in it, their widths, the kinds of inputs to try, and
 * the reference. Each runs in many threads and in several variants: by all lanes, by some lanes
 * after a branch, by some lanes under a guard, and with constants in place of a source. The
 * registers of inactive lanes must not change.
 *
 * One test program includes it, so everything here is static.
 */
#ifndef TEST_OPS_H
#define TEST_OPS_H

#include "isa.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define TEST_PRINTF(f, a)  __attribute__((format(printf, f, a)))
#define TEST_MAY_BE_UNUSED __attribute__((unused))
#else
#define TEST_PRINTF(f, a)
#define TEST_MAY_BE_UNUSED
#endif

enum { THREADS = 1024, ARRAYS = 6, BATCH = 32 };
#define OLD_VALUE UINT64_C(0x5a5b5c5d5e5f6061)

typedef struct op_in {
    uint64_t a, b, c, e;
} op_in;
typedef struct op_test op_test;
typedef uint64_t op_ref(const op_test *t, const op_in *x, uint64_t *second);
struct op_test {
    char text[200];
    char widths[8]; /* of d a b c e in this order: h 16, w 32, d 64 bits, p predicate */
    /* of the inputs a b c e: i integer, s shift amount, f f32, g f64, k f16, j bf16, c shfl's c, x
     * any bits; F and G f32 and f64 of similar size */
    char kinds[8];
    char second; /* width of $q, 0 none */
    op_ref *ref;
    int bits, aux, aux2;
    bool sign;
};

static op_test *tests;
static int test_count, test_room;
/* What a test does besides its instructions, once per instruction set; NULL: nothing. */
TEST_MAY_BE_UNUSED static void (*also)(sim *s, uint64_t base, uint64_t *data);

TEST_PRINTF(4, 5)
TEST_MAY_BE_UNUSED static op_test *add_test(const char *widths, const char *kinds, op_ref *ref, const char *fmt, ...)
{
    if (test_count == test_room) {
        test_room = test_room ? 2 * test_room : 256;
        tests = realloc(tests, (size_t)test_room * sizeof *tests);
        if (!tests) abort();
    }
    op_test *t = &tests[test_count++];
    memset(t, 0, sizeof *t);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(t->text, sizeof t->text, fmt, ap);
    va_end(ap);
    snprintf(t->widths, sizeof t->widths, "%s", widths);
    snprintf(t->kinds, sizeof t->kinds, "%s", kinds);
    t->ref = ref;
    return t;
}

/* ---- inputs ---- */
static uint64_t random_state = 88172645463325252u;
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(2685821657736338717);
}
static uint64_t pick_input(char kind, int width)
{
    static const uint32_t floats[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
                                      0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
                                      0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x40000000, 0x3f800001};
    static const uint64_t doubles[] = {0,
                                       UINT64_C(0x8000000000000000),
                                       1,
                                       UINT64_C(0x800fffffffffffff),
                                       UINT64_C(0x3ff0000000000000),
                                       UINT64_C(0xbff0000000000000),
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0xfff0000000000000),
                                       UINT64_C(0x7ff8000000000000),
                                       UINT64_C(0x7fefffffffffffff)};
    static const uint16_t halves[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x8400, 0x3c00,
                                      0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x3c01};
    static const uint16_t brains[] = {0,      0x8000, 1,      0x8001, 0x007f, 0x0080, 0x8080, 0x3f80,
                                      0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x3f81};
    static const uint16_t shuffles[] = {0x1f,   0,      0x181f, 0x1800,
                                        0x1c1f, 0x1000, 0x0f,   0x101f}; /* whole warps and tiles */
    uint64_t r = next_random();
    unsigned roll = (unsigned)(r >> 32) % 8;
    switch (kind) {
    case 'i':
        if (roll < 3) { /* near a power of two, or its negative */
            uint64_t v = (UINT64_C(1) << (r % (unsigned)width)) + (r >> 8) % 3 - 1;
            return r >> 20 & 1 ? v : 0 - v;
        }
        if (roll < 5) return r >> 10 & 1 ? (r & 15) : 0 - (r & 15);
        return next_random();
    case 's':
        if (roll < 6) return r % 71;
        return roll == 6 ? 250 + r % 20 : next_random();
    case 'f': return roll < 5 ? floats[r % (sizeof floats / sizeof *floats)] : next_random();
    case 'g': return roll < 5 ? doubles[r % (sizeof doubles / sizeof *doubles)] : next_random();
    case 'F': /* exponents close to each other, few or many digits */
        if (roll < 2) return floats[r % (sizeof floats / sizeof *floats)];
        return (r & 0x80000000) | (120 + r % 16) << 23 |
               (roll < 5 ? next_random() & 0x7fffff : next_random() & 0x700000);
    case 'G':
        if (roll < 2) return doubles[r % (sizeof doubles / sizeof *doubles)];
        return (r & UINT64_C(1) << 63) | (1016 + r % 16) << 52 |
               (next_random() & (roll < 5 ? UINT64_C(0xfffffffffffff) : UINT64_C(0xe000000000000)));
    case 'k': return halves[r % 16] | (uint64_t)halves[r >> 8 & 15] << 16;
    case 'j': return brains[r % 16] | (uint64_t)brains[r >> 8 & 15] << 16;
    case 'c': return roll < 6 ? shuffles[r % 8] : next_random();
    default: return next_random();
    }
}

static int width_bits(char w) { return w == 'h' ? 16 : w == 'w' ? 32 : w == 'd' ? 64 : 1; }
static uint64_t cut(uint64_t v, int bits) { return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1); }

/* ---- PTX ---- */
typedef struct ptx_text {
    char *at;
    size_t used, room;
} ptx_text;
TEST_PRINTF(2, 3)
static void put(ptx_text *o, const char *fmt, ...)
{
    if (o->room - o->used < 4096) {
        o->room = o->room * 2 + 65536;
        o->at = realloc(o->at, o->room);
        if (!o->at) abort();
    }
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(o->at + o->used, o->room - o->used, fmt, ap);
    va_end(ap);
    o->used += (size_t)n;
}

enum variant { V_ALL, V_BRANCH, V_GUARD, V_CONST_FIRST };
enum { CONSTANTS = 6 };
/* The source that a variant replaces by a constant; -1: none. */
static int constant_source(const op_test *t, int v)
{
    int sources = (int)strlen(t->widths) - 1;
    return v < V_CONST_FIRST || sources < 1 ? -1 : (v - V_CONST_FIRST) % sources;
}
static bool has_variant(const op_test *t, int v)
{
    int s = constant_source(t, v);
    if (v == V_GUARD && t->text[0] == '{') return strstr(t->text, "$g") != NULL;
    if (s < 0) return v < V_CONST_FIRST;
    char k = t->kinds[s], part[] = {'$', "abce"[s], '.', 0}, negative[] = {'-', '$', "abce"[s], 0};
    if (strstr(t->text, part) || strstr(t->text, negative)) return false; /* a constant has no parts to select */
    return t->widths[1 + s] != 'p' && (k == 'i' || k == 's' || k == 'x') && v - V_CONST_FIRST < CONSTANTS;
}
static uint64_t constant_value(const op_test *t, int index, int v)
{
    static const uint64_t some[] = {0, 1, UINT64_C(0xffffffffffffffff), 31, UINT64_C(0x8000000080008000), 7, 40};
    int s = constant_source(t, v);
    return cut(some[(unsigned)(index + v * 3) % 7], width_bits(t->widths[1 + s]));
}

static const char *reg_of(char w, char letter)
{
    static char name[4][16];
    static int turn;
    char *n = name[turn++ & 3];
    snprintf(n, 16, "%%%s_%c", w == 'p' ? "p" : w == 'h' ? "h" : w == 'w' ? "r" : "d", letter);
    return n;
}

static void put_kernel(ptx_text *o, const op_test *t, int index, int v)
{
    static const char letters[] = "dabce";
    put(o, ".visible .entry t%d_%d(.param .u64 base) {\n", index, v);
    put(o, ".reg .pred %%p_d,%%p_q,%%p_a,%%p_b,%%p_c,%%p_e,%%sits;\n.reg .b16 %%h_d,%%h_q,%%h_a,%%h_b,%%h_c,%%h_e;\n");
    put(o, ".reg .b32 %%r_d,%%r_q,%%r_a,%%r_b,%%r_c,%%r_e,%%i,%%j,%%k;\n.reg .b64 "
           "%%d_d,%%d_q,%%d_a,%%d_b,%%d_c,%%d_e,%%at,%%off,%%v;\n");
    put(o, "mov.u32 %%i,%%ctaid.x; mov.u32 %%j,%%ntid.x; mov.u32 %%k,%%tid.x; mad.lo.u32 %%i,%%i,%%j,%%k;\n");
    put(o, "ld.param.u64 %%at,[base]; mul.wide.u32 %%off,%%i,8; add.u64 %%at,%%at,%%off;\n");
    put(o, "mul.lo.u32 %%j,%%i,0x9E3779B1; shr.u32 %%j,%%j,30; setp.eq.u32 %%sits,%%j,0;\n");
    for (int s = -1; s < (int)strlen(t->widths); s++) { /* -1: the second result */
        char w = s < 0 ? t->second : t->widths[s], letter = s < 0 ? 'q' : letters[s];
        if (!w) continue;
        if (s <= 0) put(o, "mov.u64 %%v,0x%llx;\n", (unsigned long long)OLD_VALUE);
        else put(o, "ld.global.u64 %%v,[%%at+%d];\n", (s - 1) * THREADS * 8);
        const char *r = reg_of(w, letter);
        if (w == 'd') put(o, "mov.b64 %s,%%v;\n", r);
        if (w == 'w') put(o, "cvt.u32.u64 %s,%%v;\n", r);
        if (w == 'h') put(o, "cvt.u16.u64 %s,%%v;\n", r);
        if (w == 'p') put(o, "and.b64 %%v,%%v,1; setp.ne.u64 %s,%%v,0;\n", r);
    }
    if (v == V_BRANCH) put(o, "@%%sits bra DONE;\n");
    if (v == V_GUARD && t->text[0] != '{') put(o, "@!%%sits ");
    for (const char *c = t->text; *c; c++) {
        if (*c != '$') {
            put(o, "%c", *c);
            continue;
        }
        if (*++c == 'g') {
            if (v == V_GUARD) put(o, "@!%%sits ");
            continue;
        }
        const char *l = strchr(letters, *c);
        int s = l ? (int)(l - letters) : -1;
        if (s < 0) put(o, "%s", reg_of(t->second, 'q'));
        else if (s > 0 && s - 1 == constant_source(t, v))
            put(o, "0x%llx", (unsigned long long)constant_value(t, index, v));
        else put(o, "%s", reg_of(t->widths[s], *c));
    }
    put(o, "\nDONE:\n");
    for (int k = 0; k < 2; k++) {
        char w = k ? t->second : t->widths[0];
        if (!w) continue;
        const char *r = reg_of(w, k ? 'q' : 'd');
        if (w == 'd') put(o, "mov.b64 %%v,%s;\n", r);
        if (w == 'w') put(o, "cvt.u64.u32 %%v,%s;\n", r);
        if (w == 'h') put(o, "cvt.u64.u16 %%v,%s;\n", r);
        if (w == 'p') put(o, "selp.u64 %%v,1,0,%s;\n", r);
        put(o, "st.global.u64 [%%at+%d],%%v;\n", (4 + k) * THREADS * 8);
    }
    put(o, "ret;\n}\n");
}

/* ---- runs ---- */
static sim *open_card(void)
{
    sim_card card = {.name = "test",
                     .title = "test",
                     .cc_major = 9,
                     .cc_minor = 0,
                     .multiprocessors = 2,
                     .max_threads_per_block = 1024,
                     .max_threads_per_mp = 2048,
                     .max_blocks_per_mp = 32,
                     .max_warps_per_mp = 64,
                     .registers_per_mp = 65536,
                     .max_registers_per_thread = 255,
                     .shared_per_block = 49152,
                     .shared_per_mp = 98304,
                     .banks = 32,
                     .max_grid_x = 65535,
                     .max_grid_y = 65535,
                     .max_grid_z = 65535,
                     .max_block_x = 1024,
                     .max_block_y = 1024,
                     .max_block_z = 64,
                     .clock_khz = 1000000,
                     .memory_bytes = UINT64_C(1) << 30};
    sim *s = NULL;
    sim_error err;
    memset(&err, 0, sizeof err);
    if (sim_open(&s, &card, &err)) {
        printf("FAIL sim_open: %s\n", err.message);
        exit(1);
    }
    return s;
}

static bool run_kernel(sim *s, sim_module *m, const char *name, uint64_t base, unsigned blocks, unsigned threads)
{
    sim_launch l;
    sim_result r;
    sim_error err;
    memset(&l, 0, sizeof l);
    memset(&r, 0, sizeof r);
    memset(&err, 0, sizeof err);
    l.kernel = name;
    l.grid[0] = blocks, l.grid[1] = l.grid[2] = 1;
    l.block[0] = threads, l.block[1] = l.block[2] = 1;
    l.params = &base;
    l.param_bytes = sizeof base;
    l.host_threads = 1;
    int code = sim_run(s, m, &l, &r, &err);
    if (!code) code = r.code;
    if (code) printf("FAIL %s: %s\n", name, r.fault_count ? r.faults[0].message : err.message);
    sim_result_free(&r);
    return code == 0;
}

static bool sits_out(unsigned thread) { return (thread * 0x9E3779B1u) >> 30 == 0; }

/* For references that need the whole warp: the sources of every lane, which lanes are active, and
 * which lane's result is wanted. */
static op_in warp_in[32];
static uint32_t warp_active;
static unsigned warp_lane;

static op_in input_of(const op_test *t, int index, int v, const uint64_t *data, unsigned thread)
{
    uint64_t in[4] = {0, 0, 0, 0};
    for (int s = 0; s + 1 < (int)strlen(t->widths); s++)
        in[s] = cut(constant_source(t, v) == s ? constant_value(t, index, v) : data[s * THREADS + (int)thread],
                    width_bits(t->widths[1 + s]));
    return (op_in){in[0], in[1], in[2], in[3]};
}

/* Compares one variant of one test and reports the first difference. */
static void check_results(const op_test *t, int index, int v, const uint64_t *data)
{
    const uint64_t *out = data + 4 * THREADS, *out2 = data + 5 * THREADS;
    int bits = width_bits(t->widths[0]), bits2 = t->second ? width_bits(t->second) : 0;
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t want, want2 = 0;
        if (i % 32 == 0) {
            warp_active = 0;
            for (unsigned l = 0; l < 32; l++) {
                warp_in[l] = input_of(t, index, v, data, i + l);
                if ((v != V_BRANCH && v != V_GUARD) || !sits_out(i + l)) warp_active |= 1u << l;
            }
        }
        warp_lane = i % 32;
        op_in x = warp_in[warp_lane];
        if (warp_active >> warp_lane & 1) want = t->ref(t, &x, &want2);
        else want = want2 = OLD_VALUE;
        want = cut(want, bits);
        want2 = cut(want2, bits2 ? bits2 : 64);
        if (out[i] == want && (!bits2 || out2[i] == want2)) continue;
        printf("FAIL %s [%s] variant %d thread %u: a=%llx b=%llx c=%llx e=%llx gives %llx, not %llx", t->text, isa, v,
               i, (unsigned long long)x.a, (unsigned long long)x.b, (unsigned long long)x.c, (unsigned long long)x.e,
               (unsigned long long)out[i], (unsigned long long)want);
        if (bits2) printf(" (second %llx, not %llx)", (unsigned long long)out2[i], (unsigned long long)want2);
        putchar('\n');
        check_count(false);
        return;
    }
    check_count(true);
}

static void run_batch(sim *s, uint64_t base, uint64_t *data, int first, int last)
{
    ptx_text o = {0};
    sim_module *m = NULL;
    sim_error err;
    memset(&err, 0, sizeof err);
    put(&o, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (int i = first; i < last; i++)
        for (int v = 0; v < V_CONST_FIRST + CONSTANTS; v++)
            if (has_variant(&tests[i], v)) put_kernel(&o, &tests[i], i, v);
    if (sim_load(s, "ops.ptx", o.at, o.used, &m, &err)) {
        if (last - first > 1) { /* find the one that is refused */
            int middle = (first + last) / 2;
            free(o.at);
            run_batch(s, base, data, first, middle);
            run_batch(s, base, data, middle, last);
            return;
        }
        printf("FAIL %s [%s]: %s\n", tests[first].text, isa, err.message);
        check_count(false);
        free(o.at);
        return;
    }
    for (int i = first; i < last; i++)
        for (int v = 0; v < V_CONST_FIRST + CONSTANTS; v++) {
            const op_test *t = &tests[i];
            if (!has_variant(t, v)) continue;
            char name[32];
            snprintf(name, sizeof name, "t%d_%d", i, v);
            for (int k = 0; k < 4; k++)
                for (int j = 0; j < THREADS; j++)
                    data[k * THREADS + j] =
                        k + 1 < (int)strlen(t->widths) ? pick_input(t->kinds[k], width_bits(t->widths[k + 1])) : 0;
            sim_write(s, base, data, ARRAYS * THREADS * 8, &err);
            if (!run_kernel(s, m, name, base, THREADS / 128, 128)) {
                printf("FAIL %s [%s] variant %d\n", t->text, isa, v);
                check_count(false);
                continue;
            }
            sim_read(s, base, data, ARRAYS * THREADS * 8, &err);
            check_results(t, i, v, data);
        }
    sim_unload(s, m);
    free(o.at);
}

/* Runs all tests on each instruction set with the same inputs; returns the exit status. */
TEST_MAY_BE_UNUSED static int run_tests(void)
{
    uint64_t began = random_state;
    for (isa_begin(); isa_next();) {
        sim *s = open_card();
        uint64_t base = 0, *data = calloc(ARRAYS * THREADS, 8);
        sim_error err;
        memset(&err, 0, sizeof err);
        random_state = began;
        if (!data || sim_alloc(s, ARRAYS * THREADS * 8, "data", &base, &err)) {
            printf("FAIL sim_alloc: %s\n", err.message);
            return 1;
        }
        for (int i = 0; i < test_count; i += BATCH)
            run_batch(s, base, data, i, i + BATCH < test_count ? i + BATCH : test_count);
        if (also) also(s, base, data);
        sim_close(s);
        free(data);
    }
    free(tests);
    return isa_end();
}

/* ---- for references ---- */
static inline int64_t as_signed(uint64_t v, int bits)
{
    v = cut(v, bits);
    return bits < 64 && v >> (bits - 1) ? (int64_t)(v - (UINT64_C(1) << bits)) : (int64_t)v;
}

/* a * b as 128 bits, one bit of b at a time. */
typedef struct wide {
    uint64_t lo, hi;
} wide;
static inline wide wide_add(wide a, wide b)
{
    wide r = {a.lo + b.lo, a.hi + b.hi};
    r.hi += r.lo < a.lo;
    return r;
}
static inline wide wide_of(uint64_t v, int bits, bool sign)
{
    wide r = {sign ? (uint64_t)as_signed(v, bits) : cut(v, bits), 0};
    if (sign && as_signed(v, bits) < 0) r.hi = UINT64_MAX;
    return r;
}
static inline wide wide_mul(wide a, wide b)
{
    wide r = {0, 0};
    for (int i = 0; i < 128; i++) {
        if ((i < 64 ? b.lo >> i : b.hi >> (i - 64)) & 1) r = wide_add(r, a);
        a.hi = a.hi << 1 | a.lo >> 63;
        a.lo <<= 1;
    }
    return r;
}
#endif
