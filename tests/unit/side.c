/* side.c: timed launches whose multiprocessors run in parallel on several host threads, against the
 * same launch on one thread.
 *
 * The card has caches and 13 multiprocessors, in groups of one and two. Each case is the body of a
 * loop. A launch is large enough for groups (two million steps), and every block is timed. Clocks,
 * counters, stalls and memory must be the same on one, two and three host threads, also where
 * blocks race, which shows in memory, and where one of them faults. Then a thread pool gets rounds
 * of pieces: each piece must be done once.
 */
#include "machine/thread_pool.h"
#include "sim.h"
#include "check.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sim_card card = {.name = "small",
                              .title = "small",
                              .cc_major = 7,
                              .cc_minor = 0,
                              .multiprocessors = 13,
                              .max_threads_per_block = 512,
                              .max_threads_per_mp = 1024,
                              .max_blocks_per_mp = 8,
                              .max_warps_per_mp = 32,
                              .registers_per_mp = 65536,
                              .max_registers_per_thread = 255,
                              .register_unit = 256,
                              .shared_per_block = 49152,
                              .shared_per_mp = 65536,
                              .shared_unit = 256,
                              .banks = 32,
                              .max_grid_x = 65535,
                              .max_grid_y = 65535,
                              .max_grid_z = 1,
                              .max_block_x = 512,
                              .max_block_y = 512,
                              .max_block_z = 64,
                              .clock_khz = 1000000,
                              .memory_bytes = 1 << 28,
                              .timing = {.known = true,
                                         .schedulers = 2,
                                         .units = 1,
                                         .issue = 1,
                                         .latency = 4,
                                         .multiply_issue = 2,
                                         .multiply_latency = 5,
                                         .divide_issue = 20,
                                         .divide_latency = 40,
                                         .special_issue = 4,
                                         .special_latency = 20,
                                         .double_issue = 8,
                                         .double_latency = 16,
                                         .predicate_latency = 6,
                                         .branch_latency = 8,
                                         .barrier_latency = 10,
                                         .shared_latency = 24,
                                         .shared_pass = 2,
                                         .shared_port = 1,
                                         .port_line = 1,
                                         .l1_bytes = 16384,
                                         .l1_ways = 4,
                                         .l1_latency = 30,
                                         .l1_global = true,
                                         .l2_bytes = 262144,
                                         .l2_ways = 16,
                                         .l2_latency = 180,
                                         .l2_slices = 8,
                                         .l2_slice_bytes = 512,
                                         .l2_rate = 256,
                                         .l2_port = 32,
                                         .l2_write = 1,
                                         .atomic_latency = 190,
                                         .atomic_sector = 1,
                                         .atomic_float = 4,
                                         .dram_latency = 400,
                                         .dram_bytes = 128,
                                         .partitions = 8,
                                         .partition_bytes = 256,
                                         .address_bits = 32}};

enum { BLOCKS = 220, THREADS = 128, WORDS = 1 << 16 };

/* %r1 block, %r2 thread, %r3 both as one number, %r5 turn; %rd1 in, %rd2 out, %rd3 the offset of
 * the thread's own words in each; %r7 is stored at the end. */
static const struct test_case {
    const char *name, *turns, *body;
    bool in_order, fails; /* in_order: in parallel the results would differ */
} cases[] = {
    {"loads and stores", "800",
     "mad.lo.u32 %r6, %r5, 37, %r3; and.b32 %r6, %r6, 65535; mul.wide.u32 %rd4, %r6, 4; add.s64 %rd4, %rd1, %rd4;\n"
     "ld.global.u32 %r8, [%rd4]; add.u32 %r7, %r7, %r8; st.global.u32 [%rd3], %r7;",
     false, false},
    {"barriers and shared memory", "600",
     "xor.b32 %r6, %r2, %r5; and.b32 %r6, %r6, 127; shl.b32 %r6, %r6, 2; mov.u32 %r8, tile; add.u32 %r8, %r8, %r6;\n"
     "st.shared.u32 [%r8], %r7; bar.sync 0; ld.shared.u32 %r9, [%r10]; add.u32 %r7, %r7, %r9; bar.sync 0;",
     false, false},
    {"atomics in between", "800",
     "and.b32 %r6, %r5, 15; setp.eq.u32 %p2, %r6, 7; and.b32 %r8, %r3, 1023; mul.wide.u32 %rd4, %r8, 4; add.s64 %rd4, "
     "%rd2, %rd4;\n"
     "@%p2 red.global.add.u32 [%rd4], %r5; ld.global.u32 %r9, [%rd5]; mad.lo.u32 %r7, %r9, 5, %r7;",
     false, false},
    {"blocks race", "800",
     "mad.lo.u32 %r6, %r1, 3, %r5; and.b32 %r6, %r6, 1023; mul.wide.u32 %rd4, %r6, 4; add.s64 %rd4, %rd2, %rd4;\n"
     "ld.global.u32 %r8, [%rd4]; mad.lo.u32 %r7, %r8, 3, %r1; st.global.u32 [%rd4], %r7;",
     true, false},
    {"a late block fails", "800",
     "setp.eq.u32 %p2, %r1, 201; setp.gt.u32 %p3, %r5, 300; and.pred %p2, %p2, %p3; add.u32 %r7, %r7, 3; "
     "@%p2 st.global.u32 [%rd6], %r7;\n"
     "ld.global.u32 %r8, [%rd5]; add.u32 %r7, %r7, %r8;",
     true, true},
};

static void side_by_side(bool good, const char *name, const char *what, int threads)
{
    check_that(good, "%s: %s, %d host threads", name, what, threads);
}

typedef struct run {
    sim_result r; /* the caller frees it */
    char fault[512];
    uint32_t out[WORDS];
} run;

static run *launch(const struct test_case *c, int host)
{
    run *x = calloc(1, sizeof *x);
    char text[4096];
    snprintf(
        text, sizeof text,
        ".version 6.3\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .pred %%p<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .shared .align 4 .b8 tile[512];\n"
        "ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [out]; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%tid.x; "
        "mad.lo.u32 %%r3, %%r1, 128, %%r2;\n"
        "mul.wide.u32 %%rd4, %%r3, 4; add.s64 %%rd3, %%rd2, %%rd4; add.s64 %%rd5, %%rd1, %%rd4; add.s64 %%rd6, %%rd2, "
        "268435456;\n"
        "shl.b32 %%r10, %%r2, 2; mov.u32 %%r11, tile; add.u32 %%r10, %%r10, %%r11; st.shared.u32 [%%r10], %%r2; "
        "mov.u32 %%r5, 0; mov.u32 %%r7, %%r2;\n"
        "LOOP: %s\n add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p1, %%r5, %s; @%%p1 bra LOOP;\n st.global.u32 [%%rd3+131072], "
        "%%r7; ret;\n}\n",
        c->body, c->turns);
    sim *s;
    sim_module *m;
    sim_error e = {0};
    struct {
        uint64_t in, out;
    } p;
    uint32_t *in = malloc(WORDS * 4);
    for (uint32_t i = 0; in && i < WORDS; i++) in[i] = i * 2654435761u;
    if (!x || !in || sim_open(&s, &card, &e) || sim_load(s, "case.ptx", text, strlen(text), &m, &e) ||
        sim_alloc(s, WORDS * 4, "in", &p.in, &e) || sim_alloc(s, WORDS * 4, "out", &p.out, &e) ||
        sim_write(s, p.in, in, WORDS * 4, &e) || sim_write(s, p.out, in, WORDS * 4, &e)) {
        printf("FAIL %s: line %d: %s\n", c->name, e.line, e.message);
        exit(1);
    }
    sim_launch l = {.kernel = "k",
                    .grid = {BLOCKS, 1, 1},
                    .block = {THREADS, 1, 1},
                    .params = &p,
                    .param_bytes = sizeof p,
                    .timed = true,
                    .exact = true,
                    .host_threads = host};
    if (sim_run(s, m, &l, &x->r, &e)) {
        printf("FAIL %s: %s\n", c->name, e.message);
        exit(1);
    }
    if (x->r.fault_count)
        snprintf(x->fault, sizeof x->fault, "block %u %s", x->r.faults[0].at.block[0], x->r.faults[0].message);
    sim_read(s, p.out, x->out, WORDS * 4, &e);
    free(in);
    sim_result_free(&x->r);
    sim_close(s);
    return x;
}

static void try_case(const struct test_case *c)
{
    run *one = launch(c, 1);
    printf("%s: %llu cycles of %llu instructions %s\n", c->name, (unsigned long long)one->r.cycles,
           (unsigned long long)one->r.total.warp_instructions, one->fault);
    side_by_side(!!*one->fault == c->fails, c->name, "a fault, or none", 1);
    side_by_side(c->fails || one->r.total.warp_instructions > 6000000, c->name, "long enough", 1);
    for (int host = 2; host <= 3; host++) {
        run *more = launch(c, host);
        side_by_side(more->r.cycles == one->r.cycles || c->fails, c->name, "the same clocks", host);
        side_by_side(!memcmp(&more->r.total, &one->r.total, sizeof more->r.total) || c->fails, c->name,
                     "the same counters", host);
        side_by_side(!memcmp(more->out, one->out, sizeof more->out) || c->fails, c->name, "the same in memory", host);
        side_by_side(!strcmp(more->fault, one->fault), c->name, "the same fault", host);
        side_by_side(more->r.host_threads == (c->in_order ? 1 : host), c->name, "side by side, or not", host);
        free(more);
    }
    free(one);
}

/* ---- the thread pool ---- */

enum { PIECES = 7, ROUNDS = 3000, HELPERS = 3 };

typedef struct helper {
    crew *crew;
    uint32_t number;
} helper;

static void *help(void *arg)
{
    const helper *h = arg;
    crew_help(h->crew, h->number);
    return NULL;
}

/* no other thread may write there at the same time */
static void count(void *with, uint32_t piece) { ((int *)with)[piece * 64]++; }

static void try_crew(void)
{
    static int times[PIECES * 64];
    static crew c = {.members = HELPERS + 1};
    pthread_t threads[HELPERS];
    helper helpers[HELPERS];
    bool even = true;
    for (uint32_t i = 0; i < HELPERS; i++) {
        helpers[i] = (helper){&c, i + 1};
        if (pthread_create(&threads[i], NULL, help, &helpers[i])) exit(1);
    }
    for (int r = 1; r <= ROUNDS; r++) {
        crew_work(&c, count, times, PIECES);
        for (int i = 0; i < PIECES; i++) even = even && times[i * 64] == r;
    }
    crew_over(&c);
    for (int i = 0; i < HELPERS; i++) pthread_join(threads[i], NULL);
    side_by_side(even, "crew", "each piece once a round", HELPERS + 1);
    crew_help(&c, 1); /* too late: returns at once */
}

int main(void)
{
    try_crew();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) try_case(&cases[i]);
    return check_end();
}
