/* time.c: the cycles of timed launches against times worked out by hand, on a small made-up card
 * with round values.
 *
 * Each kernel reads the clock twice and stores the difference. An instruction occupies its
 * scheduler for ISSUE clocks, and its result can be used LATENCY after its issue. The comment
 * beside a case works out the time between the two readings. The first reading issues at t, and the
 * next instruction issues at t + 4 at the earliest.
 */
#include "sim.h"
#include "check.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ISSUE = 4,
    LATENCY = 24,
    SHARED = 36,
    PASS = 2,
    BRANCH = 20,
    BARRIER = 16,
    MEMORY = 400,
    PORT = 8,
    COALESCED = 4,
    DRAM = 32
};

static const sim_card plain = {.name = "plain",
                               .title = "plain",
                               .cc_major = 1,
                               .cc_minor = 1,
                               .multiprocessors = 1,
                               .max_threads_per_block = 512,
                               .max_threads_per_mp = 768,
                               .max_blocks_per_mp = 8,
                               .max_warps_per_mp = 24,
                               .registers_per_mp = 8192,
                               .max_registers_per_thread = 124,
                               .register_unit = 256,
                               .shared_per_block = 16384,
                               .shared_per_mp = 16384,
                               .shared_unit = 512,
                               .banks = 16,
                               .max_grid_x = 65535,
                               .max_grid_y = 65535,
                               .max_grid_z = 1,
                               .max_block_x = 512,
                               .max_block_y = 512,
                               .max_block_z = 64,
                               .clock_khz = 1000000,
                               .memory_bytes = 1 << 28,
                               .timing = {.known = true,
                                          .schedulers = 1,
                                          .units = 1,
                                          .issue = ISSUE,
                                          .latency = LATENCY,
                                          .multiply_issue = 16,
                                          .multiply_latency = 96,
                                          .divide_issue = 100,
                                          .divide_latency = 200,
                                          .special_issue = 16,
                                          .special_latency = 30,
                                          .double_issue = 8,
                                          .double_latency = 48,
                                          .branch_latency = BRANCH,
                                          .barrier_latency = BARRIER,
                                          .shared_latency = SHARED,
                                          .shared_pass = PASS,
                                          .port_transaction = PORT,
                                          .port_coalesced = COALESCED,
                                          .dram_latency = MEMORY,
                                          .dram_bytes = DRAM,
                                          .partitions = 1,
                                          .partition_bytes = 256,
                                          .address_bits = 32}};

/* ---- a kernel made of the lines between two readings of the clock ---- */

static char text[32768];
static size_t length;
static void put(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    int n = vsnprintf(text + length, sizeof text - length, fmt, v);
    va_end(v);
    if (n < 0 || (length += (size_t)n) >= sizeof text) exit(2);
}

/* %rd1 = in, %rd2 = out, %r1 = tid, %rd3 = in + 4 * tid; the first reading goes to %r2. */
static void begin(void)
{
    length = 0;
    put(".version 6.3\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, "
        ".param .u32 n)\n{\n"
        ".reg .pred %%p<9>; .reg .b32 %%r<99>; .reg .b64 %%rd<99>; .reg .f32 %%f<99>; .shared .align 4 .b8 s[4096];\n"
        "ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [out]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd4, %%r1, 4;\n"
        "add.s64 %%rd3, %%rd1, %%rd4; mov.u32 %%r8, s; mov.u32 %%r9, 1; mov.u32 %%r5, %%r9; setp.ne.u32 %%p1, %%r1, "
        "0;\n"
        "mad.lo.u32 %%r10, %%r1, 4, %%r8; mad.lo.u32 %%r11, %%r1, 64, %%r8; st.shared.u32 [%%r10], %%r1; bar.sync 0;\n"
        "mov.u32 %%r2, %%clock;\n");
}

/* The second reading; thread 0 stores the difference. */
static void end(void)
{
    put("mov.u32 %%r3, %%clock;\nsub.u32 %%r4, %%r3, %%r2;\n@%%p1 bra END;\nst.global.u32 [%%rd2], %%r4;\n"
        "st.global.u32 [%%rd2+4], %%r5;\nEND: ret;\n}\n");
}

typedef struct run {
    uint32_t out[2];
    sim_result r;
    int registers;
} run;

static run launch(const sim_card *card, uint32_t blocks, uint32_t threads, uint32_t shared, bool exact, int host)
{
    run x = {.out = {0, 0}};
    sim *s;
    sim_module *m;
    sim_error e = {0};
    struct {
        uint64_t in, out;
        uint32_t n;
    } p = {.n = 4};
    if (sim_open(&s, card, &e) || sim_load(s, "case.ptx", text, length, &m, &e) ||
        sim_alloc(s, 1 << 24, "in", &p.in, &e) || sim_alloc(s, 1 << 20, "out", &p.out, &e)) {
        printf("FAIL line %d: %s\n", e.line, e.message);
        exit(1);
    }
    x.registers = sim_kernel_at(m, 0)->registers;
    sim_launch l = {.kernel = "k",
                    .grid = {blocks, 1, 1},
                    .block = {threads, 1, 1},
                    .shared_bytes = shared,
                    .params = &p,
                    .param_bytes = 20,
                    .timed = true,
                    .exact = exact,
                    .host_threads = host};
    if (sim_run(s, m, &l, &x.r, &e) || x.r.code) {
        printf("FAIL %s\n", x.r.fault_count ? x.r.faults[0].message : e.message);
        exit(1);
    }
    sim_read(s, p.out, x.out, sizeof x.out, &e);
    sim_result_free(&x.r);
    sim_close(s);
    return x;
}

static double between(uint32_t threads) { return launch(&plain, 1, threads, 0, true, 1).out[0]; }

/* ---- one warp ---- */

static void chains(void)
{
    begin();
    end();
    expect(between(32), ISSUE, "nothing between two readings: they issue one behind the other");

    begin();
    for (int i = 0; i < 10; i++) put("add.u32 %%r5, %%r5, %%r9;\n");
    end();
    /* additions issue at t+4, t+28 ... t+4+9*24 = t+220, the second reading 4 later */
    expect(between(32), 4 + 9 * LATENCY + 4, "a chain of 10 additions costs its latency each");

    begin();
    for (int i = 0; i < 10; i++) put("add.u32 %%r%d, %%r9, %%r9;\n", 20 + i);
    end();
    expect(between(32), 10 * ISSUE + 4, "10 independent additions issue one behind the other");

    begin();
    put("mul.lo.u32 %%r5, %%r9, %%r9;\nadd.u32 %%r5, %%r5, %%r9;\n");
    end();
    /* the multiplication issues at t+4, the addition 96 later, the reading 4 after that */
    expect(between(32), 4 + 96 + 4, "an addition waits for the multiplication before it");

    begin();
    put("bra.uni NEXT;\nadd.u32 %%r5, %%r5, %%r9;\nNEXT:\n");
    end();
    expect(between(32), 4 + BRANCH, "after a branch the next instruction waits until it is resolved");

    begin();
    put("bar.sync 0;\n");
    end();
    expect(between(32), 4 + BARRIER, "a barrier that one warp meets alone costs its latency");
}

static void loads(void)
{
    /* One thread reads another thread's word: a transaction of 32 bytes takes the port for 8 clocks
     * and DRAM for 32/32 = 1, then 400 of latency. The load issues at t+4, its value is ready at
     * t+4+8+1+400 = t+413, where the addition issues; the reading at t+417. */
    begin();
    put("ld.global.u32 %%r20, [%%rd1+4];\nadd.u32 %%r5, %%r20, %%r9;\n");
    end();
    expect(between(1), 417, "a load's user waits for port, DRAM and latency");

    /* Loads issue at t+4, t+8, t+12, t+16. The port takes them one after the other from t+4 on, the
     * last one until t+36. DRAM finishes it at t+37, the value is ready at t+437, the reading
     * issues at t+441: not four times 413. */
    begin();
    for (int i = 0; i < 4; i++) put("ld.global.u32 %%r%d, [%%rd1+%d];\n", 20 + i, 1024 * i + 4);
    put("add.u32 %%r5, %%r23, %%r9;\n");
    end();
    expect(between(1), 441, "4 independent loads overlap");

    /* A full warp of adjacent words: two half-warps of 64 bytes, each 4 clocks at the port. The
     * second leaves it at t+12. DRAM takes 2 clocks each, until t+14. The value is ready at
     * t+414. */
    begin();
    put("ld.global.u32 %%r20, [%%rd3];\nadd.u32 %%r5, %%r20, %%r9;\n");
    end();
    expect(between(32), 4 + 8 + 2 + 400 + 4, "neighbours are two transactions");

    /* All lanes at one address are 32 transactions on this card: the port is free at t+4+32*8 =
     * t+260. */
    begin();
    put("ld.global.u32 %%r20, [%%rd1];\nadd.u32 %%r5, %%r20, %%r9;\n");
    end();
    expect(between(32), 4 + 32 * 8 + 1 + 400 + 4, "lanes out of order are a transaction each");
}

static void shared(void)
{
    begin();
    put("ld.shared.u32 %%r20, [%%r10];\nadd.u32 %%r5, %%r20, %%r9;\n");
    end();
    expect(between(32), 4 + SHARED + 4, "shared memory without conflicts costs its latency");

    begin();
    put("ld.shared.u32 %%r20, [%%r8];\nadd.u32 %%r5, %%r20, %%r9;\n");
    end();
    expect(between(32), 4 + SHARED + 4, "so does one word for all lanes");

    /* Stride 16 words: all lanes of a half-warp access the same bank, 16 passes per half-warp
     * instead of 1. The 30 extra passes hold the scheduler for 60 clocks: the next reading issues
     * at t+4+4+60. */
    begin();
    put("ld.shared.u32 %%r20, [%%r11];\n");
    end();
    expect(between(32), 4 + ISSUE + 30 * PASS, "a 16-way conflict costs 16 passes a half-warp");
}

/* A card of today, on which an instruction waits longer for the predicate that guards it. */
static sim_card with_loops(double predicate)
{
    sim_card c = plain;
    c.cc_major = 5;
    c.banks = 32;
    c.timing.shared_port = 1;
    c.timing.predicate_latency = predicate;
    return c;
}

/* A 64-bit minimum in shared memory is a loop: load, compare in two parts and choose, swap, test in
 * two parts whether to repeat. If all lanes offer the same value, the first lane changes the word;
 * the others look once more and stop. If the values fall from lane to lane, it runs 32 times. */
static void loops(void)
{
    enum { PREDICATE = 12, SWAP = 10 };
    sim_card c = with_loops(PREDICATE);
    c.timing.shared_atomic = SWAP;
    uint32_t took[2][2];
    for (int wide = 0; wide < 2; wide++)
        for (int falls = 0; falls < 2; falls++) {
            begin();
            put("mul.lo.u32 %%r20, %%r1, %d;\nsub.u32 %%r20, 1000, %%r20;\ncvt.u64.u32 %%rd20, %%r20;\n"
                "st.shared.u32 [%%r8], -1;\nbar.sync 0;\nmov.u32 %%r2, %%clock;\n",
                falls);
            put(wide ? "atom.shared.min.u64 %%rd21, [%%r8], %%rd20;\n" : "atom.shared.min.u32 %%r21, [%%r8], %%r20;\n");
            end();
            took[wide][falls] = launch(&c, 1, 32, 0, true, 1).out[0];
        }
    expect(took[0][1] - took[0][0], 0, "a minimum of 32 bits takes as long whatever is offered");
    const double look = SHARED + LATENCY + 2 * PREDICATE, around = look + (SHARED + SWAP) + (2 * PREDICATE + BRANCH);
    expect(took[1][1] - took[1][0], 31 * around - (look + BRANCH),
           "one of 64 bits goes around once for each lane that changes the word");
}

/* A sum of floats in shared memory, as thread `who` sees it: `lanes` words, `apart` bytes apart. */
static double sum_takes(const sim_card *c, uint32_t threads, int who, int lanes, int apart)
{
    begin();
    put("setp.ne.u32 %%p1, %%r1, %d;\nand.b32 %%r20, %%r1, %d;\nmad.lo.u32 %%r20, %%r20, %d, %%r8;\n"
        "mov.f32 %%f2, 0f3F800000;\nbar.sync 0;\nmov.u32 %%r2, %%clock;\n",
        who, lanes - 1, apart);
    put("atom.shared.add.f32 %%f1, [%%r20], %%f2;\n");
    end();
    return launch(c, 1, threads, 0, true, 1).out[0];
}

/* Sums of floats are such loops. In each round one of the lanes at a bank succeeds; the others load
 * and swap again, which takes a pass per lane of the bank. */
static void sums(void)
{
    enum {
        PREDICATE = 12,
        SWAP = 40,
        THERE = SHARED + LATENCY + SWAP * 3 / 8,
        ROUND = SHARED + LATENCY + SWAP + PREDICATE + BRANCH
    };
    sim_card c = with_loops(PREDICATE);
    c.timing.shared_swap = SWAP;
    const double once = sum_takes(&c, 32, 0, 32, 4);
    expect(once, ISSUE + ROUND, "a sum of floats goes around once");
    expect(sum_takes(&c, 32, 0, 32, 0) - once, 31 * ROUND, "of 32 lanes that want one word, 32 times");
    /* 31 extra lanes in each pass of the load and of the swap, then 30 ... */
    expect(sum_takes(&c, 32, 0, 32, 128) - once, 31 * ROUND + 2 * (31 * 32 / 2) * PASS,
           "of 32 lanes that want words of one bank, as well, and passes over the banks");
    /* Another warp at the same words. It starts when the scheduler has issued all six instructions
     * of the first warp's loop, and swaps after the first warp's swap. */
    const double apart = sum_takes(&c, 64, 32, 64, 4);
    expect(sum_takes(&c, 64, 32, 32, 4) - apart, THERE - 7 * ISSUE,
           "a second warp of the same scheduler swaps when it has loaded what the first one left");
    /* On a scheduler of its own it starts as soon as the first warp's load and swap have left the
     * port, and fails in step with it. */
    c.timing.schedulers = 2;
    const double alone = sum_takes(&c, 64, 32, 64, 4);
    expect(sum_takes(&c, 64, 32, 32, 4) - alone, ROUND - 2, "one of another scheduler goes around once more");
}

/* Lanes whose `of` is below `some` jump over an addition. */
static double over(const sim_card *c, const char *of, int some)
{
    begin();
    put("setp.lt.u32 %%p2, %s, %d;\n@%%p2 bra MEET;\nadd.u32 %%r5, %%r5, %%r9;\nMEET:\n", of, some);
    end();
    return launch(c, 1, 32, 0, true, 1).out[0];
}

/* The same with a condition computed by `lines`, which makes no lane jump. */
static double over_made(const sim_card *c, const char *lines)
{
    begin();
    put("%s\nor.b32 %%r20, %%r20, %%r20;\nbar.sync 0;\nbar.sync 0;\nmov.u32 %%r2, %%clock;\n", lines); /* it is ready */
    put("setp.lt.u32 %%p2, %%r20, 0;\n@%%p2 bra MEET;\nadd.u32 %%r5, %%r5, %%r9;\nMEET:\n");
    end();
    return launch(c, 1, 32, 0, true, 1).out[0];
}

/* Values that ptxas 13 knows to be uniform for compute 9.0: after a branch on such a value its
 * machine code does not reconverge. */
static void alike(const sim_card *c, double meet)
{
    // clang-format off
    static const struct { const char *lines, *what; bool alike; } from[] = {
        {"ld.shared.u32 %r20, [%r8];", "a word of shared memory that all load", true},
        {"ld.shared.u32 %r20, [%r10];", "words of shared memory at addresses of their own", false},
        {"ld.global.u32 %r20, [%rd1];", "a word of global memory that all load", true},
        {"ld.volatile.global.u32 %r20, [%rd1];", "one that is volatile", true},
        {"ld.global.u32 %r20, [%rd3];", "words of global memory at addresses of their own", false},
        {".local .align 4 .b8 own[8]; mov.u64 %rd20, own; cvta.local.u64 %rd20, %rd20; st.u32 [%rd20], %r1; "
         "ld.u32 %r20, [%rd20];", "a word of local memory", false},
        {"atom.global.add.u32 %r20, [%rd1], 1;", "what an atomic gives back", false},
        {"setp.eq.u32 %p3, %r1, 0; vote.sync.ballot.b32 %r20, %p3, -1;", "what lanes vote", true},
        {"shfl.sync.idx.b32 %r20, %r1, 0, 31, -1;", "the word of one lane", true},
        {"mov.u32 %r21, 31; shfl.sync.idx.b32 %r20, %r1, 0, %r21, -1;", "the same with a constant in a register", true},
        {"shfl.sync.idx.b32 %r20, %r1, 0, 4111, -1;", "one lane of each half", false},
        {"shfl.sync.down.b32 %r20, %r1, 0, 31, -1;", "the word of a lane further on", false},
        {"cvt.rn.f32.u32 %f1, %r9; mul.f32 %f2, %f1, %f1; add.f32 %f3, %f2, %f1; cvt.rzi.u32.f32 %r20, %f3;",
         "a product and a sum of what is alike", true},
        {"cvt.rn.f32.u32 %f4, %r9; cvt.rn.f32.u32 %f1, %r1; mul.f32 %f2, %f1, %f1; add.f32 %f3, %f2, %f4; "
         "cvt.rzi.u32.f32 %r20, %f3;", "a product of what is not", false},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++)
        expect(over_made(c, from[i].lines), 52 + (from[i].alike ? 0 : meet), from[i].what);
}

/* Lanes leave a loop after as many turns as the two lowest bits of tid * `times` + `more` say,
 * plus one. */
static double leave(const sim_card *c, int times, int more)
{
    begin();
    put("mad.lo.u32 %%r20, %%r1, %d, %d;\nand.b32 %%r20, %%r20, 3;\nAGAIN: sub.u32 %%r20, %%r20, 1;\n"
        "setp.ge.s32 %%p2, %%r20, 0;\n@%%p2 bra AGAIN;\n",
        times, more);
    end();
    return launch(c, 1, 32, 0, true, 1).out[0];
}

/* Where lanes may have diverged, reconverging takes an instruction, for those that arrive by either
 * path. */
static void meetings(void)
{
    enum { MEET = 40 };
    sim_card c = plain;
    c.timing.meet_latency = MEET;
    c.timing.meet_issue = 8;
    /* the comparison at t+4, the branch at t+28, the addition after it at t+48, the second reading
     * at t+52 */
    expect(over(&plain, "%r1", 0), 52, "an \"if\" of which no lane jumps");
    expect(over(&c, "%r9", 1), 52, "the same where lanes meet, if a compiler knows that all have the condition alike");
    expect(over(&c, "%r1", 0), 52 + MEET, "if it does not, they go through the place where they meet");
    expect(over(&c, "%r1", 32), 48 + MEET, "so they do when all jump there");
    expect(over(&c, "%r1", 16), 52 + 2 * MEET, "when half of them jump they go through it one half after the other");
    alike(&c, MEET);
    expect(leave(&c, 0, 3) - leave(&plain, 0, 3), MEET, "a loop that all leave together");
    expect(leave(&c, 1, 0) - leave(&plain, 1, 0), 4 * MEET, "one that they leave in four turns");
}

/* ---- the register file ---- */

/* The time of 30 instructions that share neither latency nor unit. N, M and L in them are 0 to 29,
 * 30 to 59, 60 to 89. All registers have values before and are used afterwards, so that none shares
 * its place with another. */
static double thirty(const sim_card *c, const char *form)
{
    begin();
    put(".reg .f64 %%d<99>; .reg .f32 %%k; ld.param.f32 %%k, [n];\n");
    for (int i = 0; i < 99; i++) put("mov.f32 %%f%d, 0f3F800000; mov.f64 %%d%d, 0d3FF0000000000000;\n", i, i);
    for (int i = 30; i < 60; i++) put("mov.u32 %%r%d, 1;\n", i);
    put("mov.u32 %%r2, %%clock;\n");
    for (int i = 0; i < 30; i++)
        for (const char *f = form; *f; f++) {
            if (strchr("NML", *f)) put("%d", i + 30 * (*f == 'M') + 60 * (*f == 'L'));
            else put("%c", *f);
        }
    put("\nmov.u32 %%r3, %%clock;\nsub.u32 %%r4, %%r3, %%r2;\nst.global.u32 [%%rd2], %%r4;\n");
    for (int i = 0; i < 99; i++) put("st.global.f32 [%%rd2+8], %%f%d; st.global.f64 [%%rd2+8], %%d%d;\n", i, i);
    for (int i = 30; i < 60; i++) put("st.global.u32 [%%rd2+8], %%r%d;\n", i);
    put("ret;\n}\n");
    return launch(c, 1, 32, 0, true, 1).out[0];
}

static void register_file(void)
{
    sim_card c = plain;
    c.timing.units = 2;
    c.timing.issue = c.timing.float_issue = c.timing.integer_issue = 1;
    c.timing.latency = c.timing.multiply_latency = 4;
    c.timing.multiply_issue = c.timing.double_issue = 2;
    expect(thirty(&c, "fma.rn.f32 %fN, %fM, %fL, %fN;"), 31, "multiply-adds of three registers, a clock each");
    c.timing.register_reads = 2;
    /* 90 registers from t+1 on are read at t+46; the scheduler may be two clocks ahead */
    expect(thirty(&c, "fma.rn.f32 %fN, %fM, %fL, %fN;"), 44, "where two registers are read in a clock: one and a half");
    expect(thirty(&c, "fma.rn.f32 %fN, %fM, %fM, %fN;"), 31, "a register that is read twice is read once");
    expect(thirty(&c, "fma.rn.f32 %fN, %fM, %f98, %fL;"), 31, "a factor that the one before had is kept");
    expect(thirty(&c, "fma.rn.f32 %fN, %fM, %fL, %f98;"), 44, "a summand is not");
    expect(thirty(&c, "fma.rn.f32 %fN, %fM, %fL, %k;"), 31, "a parameter is in no register");
    /* 30 * 6 registers: read at t+91 */
    expect(thirty(&c, "fma.rn.f64 %dN, %dM, %dL, %dN;"), 89, "doubles are two registers: three clocks");
    /* 6 + 29 * 5 registers: read at t+76.5 */
    expect(thirty(&c, "fma.rn.f64 %dN, %d98, %dL, %dN;"), 75,
           "a factor that the one before had is kept at every other of them");
    c.timing.register_reads = 0;
    /* a product at t+1, a sum when the product has left the unit, at t+3, the next product at
     * t+4 */
    expect(thirty(&c, "mul.lo.u32 %rM, %r9, %r9; add.f32 %fN, %fN, %fN;"), 91,
           "a product of integers keeps the unit of floats for two clocks");
    c.timing.products_apart = 1;
    expect(thirty(&c, "mul.lo.u32 %rM, %r9, %r9; add.f32 %fN, %fN, %fN;"), 61,
           "or one half of it: floats go on in the other");
}

/* ---- several warps ---- */

static void warps(void)
{
    /* 24 warps of 10 dependent additions. While one waits 24 clocks, five others can issue. So the
     * scheduler is always busy, and an addition of all 24 warps costs 24 * 4 = 96 clocks. */
    begin();
    end();
    double before = (double)launch(&plain, 1, 64, 0, true, 1).r.total.by_stall[SIM_STALL_ARITHMETIC];
    begin();
    for (int i = 0; i < 100; i++) put("add.u32 %%r5, %%r5, %%r9;\n");
    end();
    sim_card c = plain;
    c.max_block_x = c.max_threads_per_block = 768;
    run x = launch(&c, 1, 768, 0, true, 1);
    expect(x.r.usage.bound, SIM_BOUND_ISSUE, "24 warps of additions run into the scheduler");
    expect_near(x.out[0], 100 * 24 * ISSUE, 0.03 * (100 * 24 * ISSUE),
                "24 warps fill the scheduler: 4 clocks an instruction");
    /* Warps are resident until they end. The kernel ends some 400 clocks later, when their stores
     * have reached DRAM. */
    expect_near(x.r.usage.occupancy * (double)x.r.cycles, (double)x.r.cycles - 400, 0.005 * ((double)x.r.cycles - 400),
                "24 of 24 warps are there all the time");
    x = launch(&c, 1, 64, 0, true, 1);
    expect(x.r.usage.bound, SIM_BOUND_LATENCY, "2 warps into latency");
    expect_near(x.r.usage.occupancy * (double)x.r.cycles, 2 / 24.0 * ((double)x.r.cycles - 400),
                0.005 * (2 / 24.0 * ((double)x.r.cycles - 400)), "2 of 24 warps are there");
    c.multiprocessors = 10;
    const run y = launch(&c, 1, 64, 0, true, 1);
    expect_near(y.r.usage.occupancy * (double)y.r.cycles, 2 / 240.0 * ((double)y.r.cycles - 400),
                0.005 * (2 / 240.0 * ((double)y.r.cycles - 400)),
                "of 240 on ten multiprocessors of which one has work");
    c.multiprocessors = 1;
    expect_near(x.out[0], 100 * LATENCY, 0.03 * (100 * LATENCY), "2 warps hide each other's issue, not the latency");
    expect_near((double)x.r.total.by_stall[SIM_STALL_ARITHMETIC] - before, 2 * 99 * (LATENCY - ISSUE),
                0.05 * (2 * 99 * (LATENCY - ISSUE)), "and what they waited for is booked so");

    /* Two warps at a barrier; warp 1 arrives 50 dependent additions later. */
    begin();
    put("setp.lt.u32 %%p2, %%r1, 32;\n@%%p2 bra MEET;\n");
    for (int i = 0; i < 50; i++) put("add.u32 %%r5, %%r5, %%r9;\n");
    put("MEET: bar.sync 0;\n");
    end();
    /* setp t+4 (or 4 later, in turn), branch 24 later, resolved after 20, 50 additions of 24, then
     * the barrier issues, and completes 16 later */
    expect_near(launch(&plain, 1, 64, 0, true, 1).out[0], 4 + 24 + BRANCH + 50 * LATENCY + BARRIER,
                0.02 * (4 + 24 + BRANCH + 50 * LATENCY + BARRIER), "a barrier waits for the last warp");
}

static const char stream[] =
    ".version 6.3\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n"
    "{\n"
    ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"
    "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x; mov.u32 %r2, "
    "%ctaid.x;\n"
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd4, %r4, 4; mul.wide.u32 %rd6, %r4, 16; "
    "add.s64 %rd3, %rd1, %rd6;\n"
    "mov.u32 %r5, 0; mov.u32 %r6, 0;\nLOOP: ld.global.v4.u32 {%r7, %r10, %r11, %r12}, [%rd3]; add.u32 %r5, %r5, %r7; "
    "add.s64 %rd3, %rd3, 2621440; add.u32 %r6, %r6, 1;\n"
    "setp.lt.u32 %p1, %r6, %r9; @%p1 bra LOOP;\n add.s64 %rd5, %rd2, %rd4; st.global.u32 [%rd5], %r5; ret;\n}\n";

static void take(const char *ptx)
{
    length = strlen(ptx);
    memcpy(text, ptx, length + 1);
}

static void whole_card(void)
{
    /* 600 blocks of 256 threads each read 64 bytes and write 4: 10,444,800 bytes at 32 per
     * clock. */
    take(stream);
    sim_card c = plain;
    c.multiprocessors = 8;
    run all = launch(&c, 600, 256, 0, true, 1);
    expect_near((double)all.r.cycles, 10444800.0 / DRAM, 0.05 * (10444800.0 / DRAM), "many warps saturate DRAM");
    expect(all.r.usage.bound, SIM_BOUND_DRAM, "and that is named as what they run into");
    expect(all.r.usage.dram_bytes, 10444800, "with the bytes that were moved");
    run again = launch(&c, 600, 256, 0, true, 2);
    expect((double)again.r.cycles, (double)all.r.cycles, "the same cycles with two host threads");
    expect(memcmp(&again.r.total, &all.r.total, sizeof all.r.total), 0, "and the same counters and waits");
    c.timing.dram_bytes = 64;
    expect_near((double)launch(&c, 600, 256, 0, true, 1).r.cycles, 10444800.0 / 64, 0.1 * (10444800.0 / 64),
                "half the time with twice the DRAM");

    c.timing.dram_bytes = DRAM;
    run some = launch(&c, 1000, 32, 0, false, 2), every = launch(&c, 1000, 32, 0, true, 2);
    (void)some;
    expect(every.r.usage.sampled, 0, "exact launches are not sampled");
    run many = launch(&c, 8192, 32, 0, false, 2), each = launch(&c, 8192, 32, 0, true, 2);
    expect_near((double)many.r.cycles, (double)each.r.cycles, 0.02 * ((double)each.r.cycles),
                "a sample gives the cycles of all");
    expect((double)many.r.total.warp_instructions, (double)each.r.total.warp_instructions, "and their instructions");
}

static void residency(void)
{
    begin();
    end();
    expect(launch(&plain, 20, 256, 0, true, 1).r.usage.resident_blocks, 3, "768 threads hold 3 blocks of 256");
    expect(launch(&plain, 20, 32, 0, true, 1).r.usage.resident_blocks, 4, "16 KiB hold 4 blocks of 4 KiB");
    expect(launch(&plain, 20, 32, 4000, true, 1).r.usage.resident_blocks, 2, "and 2 of 8 KiB");
    sim_card c = plain;
    c.shared_per_mp = 1 << 20;
    expect(launch(&c, 20, 32, 0, true, 1).r.usage.resident_blocks, 8, "a multiprocessor holds 8 blocks");
    c.register_unit = 1;
    c.registers_per_mp = 2 * 256 * launch(&c, 1, 32, 0, true, 1).registers;
    expect(launch(&c, 20, 256, 0, true, 1).r.usage.resident_blocks, 2, "and as many as have registers");
}

/* Registers per thread on compute 1.x, counted by hand. %rd1 is a parameter, which takes none. */
static void registers(void)
{
    // clang-format off
    static const struct { const char *body; int count; const char *what; } cases[] = {
        {"mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; st.global.u32 [%rd1], %r3; mov.u32 %r4, "
         "%tid.y; st.global.u32 [%rd1], %r4;", 2,
         "one behind the other (two at least)"},
        {"mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r1; "
         "st.global.u32 [%rd1], %r2;"
         "st.global.u32 [%rd1], %r3;", 3, "three at once"},
        {"mov.u32 %r1, %tid.x; st.global.u32 [%rd1], %r1; mov.u32 %r2, %tid.y; add.u32 %r3, %r2, 1; add.u32 %r4, %r2, "
         "%r3; st.global.u32 [%rd1], %r2;"
         "st.global.u32 [%rd1], %r3; st.global.u32 [%rd1], %r4; mov.u32 %r1, %tid.z; st.global.u32 [%rd1], %r1;", 3,
         "none while nothing of it is needed"},
        {"mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; add.u32 %r3, %r1, %r2; setp.lt.u32 %p1, %r1, %r2; "
         "@%p1 st.global.u32 [%rd1], %r1;"
         "st.global.u32 [%rd1], %r2; st.global.u32 [%rd1], %r3;", 3, "a condition costs nothing"},
        {"mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; add.u32 %r3, %r1, %r2; setp.lt.u32 %p1, %r1, %r2; setp.lt.u32 %p2, "
         "%r2, %r3;"
         "and.pred %p3, %p1, %p2; @%p3 st.global.u32 [%rd1], %r1; st.global.u32 [%rd1], %r2; st.global.u32 [%rd1], "
         "%r3;", 5, "two to be combined cost two"},
        {"mov.u64 %rd2, 0; cvt.u64.u32 %rd3, %r1; add.s64 %rd4, %rd1, %rd3; st.global.u64 [%rd4], %rd3;", 2,
         "an address takes one"},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        length = 0;
        put(".version 6.3\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n"
            ".reg .pred %%p<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;\n"
            "ld.param.u64 %%rd1, [in];\n%s\nret;\n}\n",
            cases[i].body);
        sim *s;
        sim_module *m;
        sim_error e = {0};
        if (sim_open(&s, &plain, &e) || sim_load(s, "case.ptx", text, length, &m, &e)) {
            printf("FAIL registers, %s: %s\n", cases[i].what, e.message);
            exit(1);
        }
        expect(sim_kernel_at(m, 0)->registers, cases[i].count, cases[i].what);
        sim_close(s);
    }
}

/* 200 values at once need as many registers, unless the kernel says how many it may have. By hand: 65,536 registers for
 * 2 blocks of 256 threads are 128 for each. */
static void bounded_registers(void)
{
    static const struct {
        const char *bounds;
        int most;
        const char *what;
    } cases[] = {{"", 0, "no bounds"},
                 {".maxntid 256 .minnctapersm 2", 128, "two blocks of 256 threads"},
                 {".maxntid 16, 16 .minnctapersm 2", 128, "two blocks of 16 x 16"},
                 {".maxntid 1024", 64, "one block of 1024"},
                 {".maxntid 33 .minnctapersm 16", 64, "16 blocks of 33, which are two warps"},
                 {".reqntid 256 .minnctapersm 3", 80, "three blocks of 256: 85, in units of 8"},
                 {".maxnreg 40", 40, "a number"},
                 {".maxntid 256 .maxnreg 200", 200, "the lesser of both"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        length = 0;
        put(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in) %s\n{\n"
            ".reg .b32 %%r<201>; .reg "
            ".b64 %%rd<2>;\nld.param.u64 %%rd1, [in];\n",
            cases[i].bounds);
        for (int r = 0; r < 200; r++) put("ld.global.u32 %%r%d, [%%rd1+%d];\n", r, 4 * r);
        for (int r = 0; r < 200; r++) put("st.global.u32 [%%rd1+%d], %%r%d;\n", 4 * r, 199 - r);
        put("ret;\n}\n");
        sim_card c = plain;
        c.cc_major = 9;
        c.registers_per_mp = 65536;
        c.max_registers_per_thread = 255;
        sim *s;
        sim_module *m;
        sim_error e = {0};
        if (sim_open(&s, &c, &e) || sim_load(s, "case.ptx", text, length, &m, &e)) {
            printf("FAIL registers, %s: %s\n", cases[i].what, e.message);
            exit(1);
        }
        const int registers = sim_kernel_at(m, 0)->registers;
        if (cases[i].most) expect(registers, cases[i].most, cases[i].what);
        else expect(registers > 200, true, cases[i].what);
        sim_close(s);
    }
}

/* (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24. Subtracting 1 + 2^-11 leaves 2^-24; with a product cut to 24
 * bits it leaves 0. */
static void products(void)
{
    for (int cuts = 0; cuts < 2; cuts++)
        for (int fused = 0; fused < 2; fused++) {
            begin();
            put("mov.f32 %%f1, 0f3F800800;\nmov.f32 %%f2, 0fBF801000;\n");
            if (fused) put("fma.rn.f32 %%f3, %%f1, %%f1, %%f2;\n");
            else put("mul.f32 %%f4, %%f1, %%f1;\nadd.f32 %%f3, %%f4, %%f2;\n");
            put("mov.b32 %%r5, %%f3;\n");
            end();
            sim_card c = plain;
            c.mad_truncates = cuts;
            uint32_t got = launch(&c, 1, 1, 0, true, 1).out[1];
            expect(got, cuts ? 0 : 0x33800000,
                   cuts ? "a card that cuts products loses the last bit" : "one that fuses keeps it");
        }
}

int main(void)
{
    chains();
    loads();
    shared();
    loops();
    sums();
    meetings();
    register_file();
    warps();
    whole_card();
    residency();
    registers();
    bounded_registers();
    products();
    return check_end();
}
