/* shared_layout.c: an access past the end of one shared array into the next is a fault. Nothing
 * else shows the gaps between arrays in the simulator: values, banks, sizes and limits are those of
 * a card, where the arrays are contiguous.
 *
 * In every kernel `a` has 20 floats, `b` 16, and `c` is the dynamic array. On a card b begins at
 * byte 80 and c at byte 144. %r10, %r11 and %r12 are their addresses, %r9 is 4 * thread.
 */
#include "kernel.h"

#define ARRAYS ".shared .align 4 .b8 a[80];\n.shared .align 4 .b8 b[64];\n"
#define BEGIN  "mov.u32 %r10, a;\nmov.u32 %r11, b;\nmov.u32 %r12, c;\nshl.b32 %r9, %r1, 2;\n"

static bool run(bench *b, const char *body, uint32_t dynamic, unsigned checks, sim_result *r)
{
    static text t;
    static const unsigned char zeros[BYTES];
    sim_write(b->s, b->out, zeros, BYTES, &b->e);
    start(&t, ".extern .shared .align 16 .b8 c[];\n", ARRAYS);
    put(&t, "%smul.wide.u32 %%rd8, %%r1, 4;\nadd.u64 %%rd9, %%rd2, %%rd8;\n%s\nret;\n}\n", BEGIN, body);
    sim_module *m = load(b, &t);
    struct {
        uint64_t in, out, idx;
        uint32_t mask;
    } params = {b->in, b->out, b->idx, UINT32_MAX};
    memset(r, 0, sizeof *r);
    if (!m) return false;
    sim_launch l = {.kernel = "k",
                    .grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .params = &params,
                    .param_bytes = 28,
                    .checks = checks,
                    .counts = SIM_COUNT_MEMORY,
                    .host_threads = 1,
                    .max_instructions = 100000,
                    .shared_bytes = dynamic};
    const bool sized = sim_kernel_named(m, "k")->shared_bytes == 144;
    if (!sized) printf("# %u static bytes, not 144\n", sim_kernel_named(m, "k")->shared_bytes);
    int code = sim_run(b->s, m, &l, r, &b->e);
    if (code) printf("# %s\n", b->e.message);
    if (r->fault_count)
        printf("# %s: %s; %s\n", sim_fault_name(r->faults[0].kind), r->faults[0].message, r->faults[0].advice);
    sim_unload(b->s, m);
    return sized && !code;
}

static const struct row {
    const char *name, *body, *message, *advice;
    uint32_t dynamic;
    int thread;
} rows[] = {
    {"a[20]", "setp.gt.u32 %p2, %r1, 20;\n@%p2 ret;\nadd.u32 %r20, %r10, %r9;\nst.shared.u32 [%r20], %r1;",
     "write of 4 bytes at 0x50 starts just past the end of shared a (80 bytes)", "Keep the index within the array", 0,
     20},
    {"a[20] by name", "st.shared.u32 [a+80], %r1;", "starts just past the end of shared a (80 bytes)", "Keep the index",
     0, 0},
    {"a[19] as a pair", "ld.shared.v2.u32 {%r20, %r21}, [a+76];", "is not a multiple of 8", "multiple", 0, 0},
    {"a[16] to a[19] as four", "ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [a+64];", NULL, NULL, 0, 0},
    {"a[20] as a generic address", "cvt.u64.u32 %rd20, %r10;\ncvta.shared.u64 %rd20, %rd20;\nst.u32 [%rd20+80], %r1;",
     "starts just past the end of shared a", "Keep the index", 0, 0},
    {"a[20], atomically", "atom.shared.add.u32 %r20, [%r10+80], 1;", "starts just past the end of shared a",
     "Keep the index", 0, 0},
    {"b[-1]", "sub.u32 %r20, %r11, 4;\nld.shared.u32 %r21, [%r20];", "starts 4 bytes before shared b (64 bytes)",
     "Keep the index", 0, 0},
    {"b[16]", "ld.shared.u32 %r21, [%r11+64];", "starts just past the end of shared b (64 bytes)", "Keep the index", 64,
     0},
    {"b[16] without a dynamic part", "ld.shared.u32 %r21, [%r11+64];",
     "starts just past the end of shared b (64 bytes)", "Keep the index", 0, 0},
    {"c[-1]", "ld.shared.u32 %r21, [%r12+-4];", "starts 4 bytes before the block's shared memory (64 bytes)", "dynamic",
     64, 0},
    {"c[16] of 16", "ld.shared.u32 %r21, [%r12+64];",
     "starts just past the end of the block's shared memory (64 bytes)", "give the launch more dynamic shared memory",
     64, 0},
    {"c[0] of none", "ld.shared.u32 %r21, [%r12];", "starts just past the end of the block's shared memory (0 bytes)",
     "--shared", 0, 0},
};

static void test_faults(bench *b, unsigned checks)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *w = &rows[i];
        sim_result r;
        bool good = run(b, w->body, w->dynamic, checks & (w->message ? SIM_CHECK_ALL : 0), &r);
        const sim_fault *f = r.faults;
        if (w->message)
            good = good && r.code == SIM_E_FAULT && strstr(f->message, w->message) && strstr(f->advice, w->advice) &&
                   (int)f->at.thread[0] == w->thread;
        else good = good && !r.code;
        check_that(good, "%s%s", w->name, checks ? ", all checks" : "");
        sim_result_free(&r);
    }
}

/* What is allowed with several arrays: one per lane, one after the other, through generic
 * addresses. Each row leaves 100 + lane in out[lane]. */
static const struct {
    const char *name, *body;
} fine[] = {
    {"lanes in three arrays at once",
     "and.b32 %r13, %r1, 15;\nshl.b32 %r13, %r13, 2;\nadd.u32 %r14, %r10, %r13;\nadd.u32 %r15, %r11, %r13;\n"
     "setp.lt.u32 %p2, %r1, "
     "16;\nselp.b32 %r16, %r14, %r15, %p2;\nadd.u32 %r17, %r1, 100;\nst.shared.u32 [%r16], %r17;\n"
     "ld.shared.u32 %r18, [%r16];\nst.global.u32 "
     "[%rd9], %r18;"},
    {"odd lanes elsewhere, generic",
     "shr.u32 %r13, %r1, 1;\nshl.b32 %r13, %r13, 2;\nadd.u32 %r14, %r11, %r13;\nadd.u32 %r15, %r12, %r13;\n"
     "and.b32 %r18, %r1, 1;\nsetp.eq.u32 %p2, "
     "%r18, 0;\nselp.b32 %r16, %r14, %r15, %p2;\ncvt.u64.u32 %rd20, %r16;\ncvta.shared.u64 %rd20, %rd20;\n"
     "add.u32 %r17, %r1, 100;\nst.u32 "
     "[%rd20], %r17;\nld.u32 %r18, [%rd20];\nst.global.u32 [%rd9], %r18;"},
    {"two buffers that change places",
     "setp.ge.u32 %p2, %r1, 16;\nadd.u32 %r14, %r11, %r9;\nadd.u32 %r15, %r12, %r9;\nadd.u32 %r17, %r1, 100;\n"
     "@%p2 bra past;\nst.shared.u32 [%r14], "
     "%r17;\nmov.u32 %r20, 0;\nloop:\nld.shared.u32 %r18, [%r14];\nst.shared.u32 [%r15], %r18;\nmov.u32 %r19, %r14;\n"
     "mov.u32 %r14, %r15;\nmov.u32 "
     "%r15, %r19;\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p3, %r20, 7;\n@%p3 bra loop;\nmov.u32 %r17, %r18;\npast:\n"
     "st.global.u32 [%rd9], %r17;"},
};

static void test_fine(bench *b)
{
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
        for (unsigned checks = 0; checks <= SIM_CHECK_ALL; checks += SIM_CHECK_ALL) {
            uint32_t got[32];
            sim_result r;
            bool good = run(b, fine[i].body, 64, checks, &r) && !r.code && !r.fault_count;
            sim_read(b->s, b->out, got, sizeof got, &b->e);
            for (uint32_t l = 0; l < 32; l++) good = good && got[l] == 100 + l;
            check_that(good, "%s%s", fine[i].name, checks ? ", all checks" : "");
            sim_result_free(&r);
        }
}

/* Of 32 banks, a is in banks 0 to 19, b from byte 80 on in banks 20 to 31 and 0 to 3, c from byte
 * 144 on in banks 4 to 19. Of 16 banks, b and c begin at bank 4. Lanes 0 to 15 read one array, the
 * others another. */
static void test_banks(bench *b)
{
    static const struct {
        const char *low, *high;
        uint64_t passes32, passes16;
    } two[] = {
        /* banks 0..15 and 20..31, 0..3: lanes 28 to 31 conflict with lanes 0 to 3, but no half
         * alone */
        {"%r10", "%r11", 2, 2},
        {"%r10", "%r12", 2, 2}, /* 0..15 and 4..19 */
        {"%r11", "%r12", 1, 2}, /* 20..31, 0..3 and 4..19 */
    };
    for (size_t i = 0; i < sizeof two / sizeof two[0]; i++) {
        char body[400];
        sim_result r;
        snprintf(
            body, sizeof body,
            "and.b32 %%r13, %%r1, 15;\nshl.b32 %%r13, %%r13, 2;\nadd.u32 %%r14, %s, %%r13;\nadd.u32 %%r15, %s, %%r13;\n"
            "setp.lt.u32 %%p2, %%r1, "
            "16;\nselp.b32 %%r16, %%r14, %%r15, %%p2;\nld.shared.u32 %%r18, [%%r16];",
            two[i].low, two[i].high);
        bool good = run(b, body, 64, 0, &r) && r.total.shared_passes_32 == two[i].passes32 &&
                    r.total.shared_passes_16 == two[i].passes16;
        if (!good)
            printf("# %llu and %llu passes\n", (unsigned long long)r.total.shared_passes_32,
                   (unsigned long long)r.total.shared_passes_16);
        check_that(good, "banks of %s and %s", two[i].low, two[i].high);
        sim_result_free(&r);
    }
}

/* 144 bytes of arrays and 64 bytes of dynamic memory. */
static void test_sizes(bench *b)
{
    uint32_t got[3];
    sim_result r;
    bool good = run(b,
                    "mov.u32 %r20, %total_smem_size;\nmov.u32 %r21, %dynamic_smem_size;\nst.global.u32 [%rd2], %r20;\n"
                    "st.global.u32 [%rd2+4], %r21;",
                    64, 0, &r) &&
                !r.code;
    sim_read(b->s, b->out, got, sizeof got, &b->e);
    check_that(good && got[0] == 208 && got[1] == 64, "sizes as a kernel asks for them: %u, %u", got[0], got[1]);
    sim_result_free(&r);
    good = run(b, "ret;", (uint32_t)card.shared_per_block - 144, 0, &r) && !r.code;
    check_that(good, "all that the card has");
    sim_result_free(&r);
    good = !run(b, "ret;", (uint32_t)card.shared_per_block - 144 + 1, 0, &r) &&
           strstr(b->e.message, "more than a block on the test has");
    check_that(good, "one byte more than the card has");
    sim_result_free(&r);
    memset(&b->e, 0, sizeof b->e);
}

static void tests(bench *b)
{
    test_faults(b, 0);
    test_faults(b, SIM_CHECK_ALL);
    test_fine(b);
    test_banks(b);
    test_sizes(b);
}
