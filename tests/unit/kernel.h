/* kernel.h: shared by the tests of memory operations: kernels as text, one small card, launches,
 * patterns of addresses. A test defines `static void tests(bench *b)`; main runs it on every
 * instruction set that this build and processor have.
 */
#ifndef TEST_KERNEL_H
#define TEST_KERNEL_H

#include "base.h"
#include "isa.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define verdict check_that

/* ---- text ---- */
typedef struct text {
    char s[32768];
    size_t n;
} text;

static void put(text *t, const char *fmt, ...) SIM_PRINTF(2, 3);
static void put(text *t, const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    int n = vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, v);
    va_end(v);
    if (n > 0) t->n += (size_t)n;
    if (t->n >= sizeof t->s) abort();
}

/* The start of every kernel here: k(in, out, idx, mask), %rd1 = in, %rd2 = out, %r1 = lane, %r2 =
 * idx[lane], %p1 = active. `before` is text before the kernel, `with` is among its declarations. */
static void start(text *t, const char *before, const char *with)
{
    t->n = 0;
    put(t, ".version 8.3\n.target sm_90\n.address_size 64\n%s\n", before);
    put(t, ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 idx, .param .u32 mask)\n{\n");
    put(t,
        ".reg .pred %%p<8>; .reg .b16 %%h<40>; .reg .b32 %%r<40>; .reg .b64 %%rd<40>; .reg .f32 %%f<9>; .reg .f64 "
        "%%fd<9>;\n%s\n",
        with);
    put(t, "ld.param.u64 %%rd1, [in];\nld.param.u64 %%rd2, [out];\nld.param.u64 %%rd3, [idx];\nld.param.u32 %%r3, "
           "[mask];\n");
    put(t, "mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd4, %%r1, 4;\nadd.s64 %%rd3, %%rd3, %%rd4;\nld.global.u32 %%r2, "
           "[%%rd3];\n");
    put(t, "shr.u32 %%r4, %%r3, %%r1;\nand.b32 %%r4, %%r4, 1;\nsetp.ne.u32 %%p1, %%r4, 0;\n");
}

/* ---- the card ---- */
typedef struct bench {
    sim *s;
    sim_error e;
    uint64_t in, out, idx;
} bench;

enum { BYTES = 4096 };

static const sim_card card = {.name = "test",
                              .title = "test",
                              .cc_major = 9,
                              .multiprocessors = 4,
                              .max_threads_per_block = 1024,
                              .max_threads_per_mp = 2048,
                              .max_blocks_per_mp = 32,
                              .max_warps_per_mp = 64,
                              .registers_per_mp = 65536,
                              .max_registers_per_thread = 255,
                              .shared_per_block = 99 * 1024,
                              .shared_per_mp = 100 * 1024,
                              .banks = 32,
                              .max_grid_x = 2147483647,
                              .max_grid_y = 65535,
                              .max_grid_z = 65535,
                              .max_block_x = 1024,
                              .max_block_y = 1024,
                              .max_block_z = 64,
                              .clock_khz = 1000000,
                              .memory_bytes = (uint64_t)1 << 40};

static bool open_bench(bench *b)
{
    static const char zeros[BYTES];
    if (sim_open(&b->s, &card, &b->e)) return false;
    return !sim_alloc(b->s, BYTES, "in", &b->in, &b->e) && !sim_alloc(b->s, BYTES, "out", &b->out, &b->e) &&
           !sim_alloc(b->s, BYTES, "idx", &b->idx, &b->e) && !sim_write(b->s, b->idx, zeros, BYTES, &b->e);
}

static sim_module *load(bench *b, const text *t)
{
    sim_module *m;
    if (!sim_load(b->s, "case.ptx", t->s, t->n, &m, &b->e)) return m;
    printf("# %s:%d: %s\n", b->e.file, b->e.line, b->e.message);
    return NULL;
}

static uint32_t blocks = 1; /* per launch */
static int host_threads = 1;

/* One launch of k. Returns SIM_OK, SIM_E_FAULT ...; the caller frees the result. */
static int launch(bench *b, sim_module *m, uint32_t mask, uint32_t threads, unsigned checks, sim_result *r)
{
    struct {
        uint64_t in, out, idx;
        uint32_t mask;
    } params = {b->in, b->out, b->idx, mask};
    sim_launch l = {.kernel = "k",
                    .grid = {blocks, 1, 1},
                    .block = {threads, 1, 1},
                    .params = &params,
                    .param_bytes = 28,
                    .checks = checks,
                    .host_threads = host_threads,
                    .max_instructions = 1000000};
    memset(r, 0, sizeof *r);
    int code = sim_run(b->s, m, &l, r, &b->e);
    return code ? code : r->code;
}

static inline bool run_once(bench *b, sim_module *m, uint32_t mask, unsigned checks)
{
    sim_result r;
    int code = launch(b, m, mask, 32, checks, &r);
    if (code && r.fault_count) printf("# fault: %s: %s\n", sim_fault_name(r.faults[0].kind), r.faults[0].message);
    else if (code) printf("# %s\n", b->e.message);
    sim_result_free(&r);
    return !code;
}

/* ---- patterns ---- */
static uint64_t seed = 88172645463325252u;
static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

enum { MASKS = 6, PATTERNS = 7 };
static const uint32_t masks[MASKS] = {0xffffffffu, 0x0000ffffu, 0x55555555u, 0x00010000u, 0x9c3f01e7u, 0};
static const char *const pattern_names[PATTERNS] = {"ascending", "same",   "halves", "half-same",
                                                    "stride",    "random", "reverse"};

static inline void make_pattern(int which, uint32_t *idx)
{
    for (uint32_t l = 0; l < 32; l++) switch (which) {
        case 0: idx[l] = l; break;
        case 1: idx[l] = 5; break;
        case 2: idx[l] = l < 16 ? l + 3 : l + 20; break;
        case 3: idx[l] = l < 16 ? 7 : 50; break;
        case 4: idx[l] = 2 * l; break;
        case 5: idx[l] = (uint32_t)(rnd() % 60); break;
        default: idx[l] = 31 - l;
        }
}

static unsigned char pool[BYTES]; /* the contents of `in` */

/* Runs a kernel once with 32 threads (or as many as stated); compares `out` with want[32] words. */
static inline void test_words(bench *b, const char *name, const char *before, const char *with, const char *body,
                              uint32_t threads, unsigned checks, const uint32_t *want)
{
    static text t;
    uint32_t got[BYTES / 4] = {0};
    sim_result r = {0};
    start(&t, before, with);
    put(&t, "mul.wide.u32 %%rd8, %%r1, 4;\nadd.u64 %%rd9, %%rd2, %%rd8;\n"); /* %rd9: out + 4 * thread */
    put(&t, "%s\nret;\n}\n", body);
    sim_module *m = load(b, &t);
    bool good = m != NULL;
    if (m) {
        uint32_t idx[32];
        make_pattern(0, idx);
        sim_write(b->s, b->in, pool, BYTES, &b->e);
        sim_write(b->s, b->out, got, BYTES, &b->e);
        sim_write(b->s, b->idx, idx, sizeof idx, &b->e);
        int code = launch(b, m, UINT32_MAX, threads, checks, &r);
        if (code) printf("# code %d: %s %s\n", code, b->e.message, r.fault_count ? r.faults[0].message : "");
        sim_read(b->s, b->out, got, BYTES, &b->e);
        good = !code && !memcmp(got, want, 128);
        for (int l = 0; !code && l < 32; l++)
            if (got[l] != want[l]) printf("# word %d: %08x, not %08x\n", l, got[l], want[l]);
        sim_result_free(&r);
        sim_unload(b->s, m);
    }
    check_that(good, "%s", name);
}

#ifndef KERNEL_WITHOUT_MAIN
static void tests(bench *b);

int main(void)
{
    for (size_t i = 0; i < sizeof pool; i++) pool[i] = (unsigned char)rnd();
    uint64_t began = seed; /* each set gets the same patterns */
    for (isa_begin(); isa_next();) {
        bench b = {0};
        seed = began;
        if (open_bench(&b)) tests(&b);
        else check(false, "a card");
        if (b.s) sim_close(b.s);
    }
    return isa_end();
}
#endif

#endif
