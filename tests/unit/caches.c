/* caches.c: the time of accesses to global and shared memory on a card with caches, against times
 * worked out by hand. The card is small and made up, with round values. The last tests check what
 * becomes of instructions on such cards.
 *
 * A kernel does `before`, reads the clock, does `between`, which ends in an addition that needs
 * the loaded value, and reads the clock again. An instruction takes 4 clocks to issue. So a load of
 * latency L gives L + 8: 4 until it issues, L until the addition can issue, 4 more until the second
 * reading.
 */
#include "sim.h"
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { L1 = 40, L2 = 200, DRAM = 600, SHARED = 36, PASS = 3, ATOMIC = 300, LINE_PORT = 10, REST = 8 };

static const sim_card small = {.name = "small",
                               .title = "small",
                               .cc_major = 7,
                               .cc_minor = 0,
                               .multiprocessors = 2,
                               .max_threads_per_block = 512,
                               .max_threads_per_mp = 1024,
                               .max_blocks_per_mp = 8,
                               .max_warps_per_mp = 32,
                               .registers_per_mp = 65536,
                               .max_registers_per_thread = 255,
                               .register_unit = 256,
                               .shared_per_block = 16384,
                               .shared_per_mp = 16384,
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
                                          .schedulers = 1,
                                          .units = 1,
                                          .issue = 4,
                                          .latency = 24,
                                          .multiply_issue = 4,
                                          .multiply_latency = 24,
                                          .divide_issue = 100,
                                          .divide_latency = 200,
                                          .special_issue = 16,
                                          .special_latency = 30,
                                          .double_issue = 8,
                                          .double_latency = 48,
                                          .branch_latency = 20,
                                          .barrier_latency = 16,
                                          .shared_latency = SHARED,
                                          .shared_pass = PASS,
                                          .shared_port = 2,
                                          .port_line = LINE_PORT,
                                          .l1_bytes = 512,
                                          .l1_ways = 4,
                                          .l1_global = 1,
                                          .l1_latency = L1,
                                          .l2_bytes = 8192,
                                          .l2_ways = 64,
                                          .l2_latency = L2,
                                          .l2_rate = 8,
                                          .l2_write = 1,
                                          .l2_slices = 1,
                                          .l2_slice_bytes = 512,
                                          .atomic_latency = ATOMIC,
                                          .atomic_sector = 8,
                                          .atomic_swap = 5,
                                          .dram_latency = DRAM,
                                          .dram_bytes = 16,
                                          .partitions = 1,
                                          .partition_bytes = 256,
                                          .address_bits = 64}};

static double moved; /* bytes moved to and from DRAM by the last launch */
static uint64_t cycles;
static sim_counters total;
static uint32_t blocks = 1;
static bool emptied;               /* empty the L2 before the launch */
static const char *constants = ""; /* text before the kernel */

/* %rd1 = in, %rd3 = in + 4 tid, %rd4 = in + 128 tid, %r8 = shared memory + 128 tid. `warm`: the
 * host has written the buffer, so that the L2 holds as much of it as fits. */
static double time_of(const sim_card *card, uint32_t threads, bool warm, const char *before, const char *between)
{
    static char text[8192];
    static const char zeros[4096];
    int n = snprintf(
        text, sizeof text,
        ".version 6.3\n.target sm_50\n.address_size 64\n%s.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .pred %%p<9>; .reg .b32 %%r<99>; .reg .b64 %%rd<99>; .shared .align 4 .b8 s[4096];\n"
        "ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [out]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd5, %%r1, 4;\n"
        "add.s64 %%rd3, %%rd1, %%rd5; mul.wide.u32 %%rd6, %%r1, 128; add.s64 %%rd4, %%rd1, %%rd6; mov.u32 %%r9, s;\n"
        "mad.lo.u32 %%r8, %%r1, 128, %%r9; setp.ne.u32 %%p1, %%r1, 0;\n"
        "mad.lo.u32 %%r10, %%r1, 4, %%r9; st.shared.u32 [%%r10], %%r1; bar.sync 0;\n"
        "%s\nmov.u32 %%r2, %%clock;\n%s\nadd.u32 %%r7, %%r6, 1;\nmov.u32 %%r3, %%clock;\nsub.u32 %%r4, %%r3, %%r2;\n"
        "@%%p1 bra END;\nst.global.u32 [%%rd2], %%r4;\nst.global.u32 [%%rd2+4], %%r7;\nEND: ret;\n}\n",
        constants, before, between);
    sim *s;
    sim_module *m;
    sim_error e = {0};
    sim_result r;
    uint32_t out = 0;
    struct {
        uint64_t in, out;
    } p;
    if (n < 0 || (size_t)n >= sizeof text || sim_open(&s, card, &e) ||
        sim_load(s, "case.ptx", text, (size_t)n, &m, &e) || sim_alloc(s, 1 << 16, "in", &p.in, &e) ||
        sim_alloc(s, 1 << 10, "out", &p.out, &e) || (warm && sim_write(s, p.in, zeros, sizeof zeros, &e))) {
        printf("FAIL line %d: %s\n", e.line, e.message);
        exit(1);
    }
    if (emptied) sim_empty_cache(s);
    sim_launch l = {.kernel = "k",
                    .grid = {blocks, 1, 1},
                    .block = {threads, 1, 1},
                    .params = &p,
                    .param_bytes = 16,
                    .timed = true,
                    .exact = true,
                    .host_threads = 1};
    if (sim_run(s, m, &l, &r, &e) || r.code) {
        printf("FAIL %s\n", e.message);
        exit(1);
    }
    sim_read(s, p.out, &out, sizeof out, &e);
    moved = r.usage.dram_bytes;
    cycles = r.cycles;
    total = r.total;
    sim_result_free(&r);
    sim_close(s);
    return out;
}

#define LOAD(reg, where) "ld.global.u32 %r" #reg ", [" where "]; "
#define WAIT(reg)        "add.u32 %r60, %r" #reg ", 1; "

int main(void)
{
    const sim_card *c = &small;
    expect(time_of(c, 1, false, "", LOAD(6, "%rd1")), DRAM + REST, "a first load comes from DRAM");
    expect(moved, 32, "and moves one sector");
    expect(time_of(c, 1, true, "", LOAD(6, "%rd1")), L2 + REST, "what the host has written is in the L2");
    expect(moved, 0, "and nothing moves");
    emptied = true;
    expect(time_of(c, 1, true, "", LOAD(6, "%rd1")), DRAM + REST, "but not once that was emptied");
    emptied = false;
    expect(time_of(c, 1, false, LOAD(20, "%rd1") WAIT(20), LOAD(6, "%rd1+4")), L1 + REST,
           "a second one of its sector hits the L1");
    expect(moved, 32, "so a sector is fetched once");
    expect(time_of(c, 1, false, LOAD(20, "%rd1") WAIT(20), LOAD(6, "%rd1+32")), DRAM + REST,
           "its line's next sector is not there");
    expect(time_of(c, 1, false, "", LOAD(20, "%rd1") LOAD(6, "%rd1+8")), DRAM + REST,
           "a sector on its way is waited for");
    expect(moved, 32, "and not fetched twice");
    expect(time_of(c, 1, true, LOAD(20, "%rd1") WAIT(20), "ld.volatile.global.u32 %r6, [%rd1];"), L2 + REST,
           "volatile loads pass the L1 by");
    /* Load, comparison, addition, branch. The comparison has a latency of 24. The addition, issued
     * 4 after it, waits the remaining 20, although the load held it up for longer. Load at 4,
     * addition at 4 + 40, branch 20 later, the next instruction 20 later, second reading 4 after
     * that. */
    expect(
        time_of(c, 1, true, LOAD(20, "%rd1") WAIT(20),
                "ld.global.u32 %r20, [%rd1]; setp.eq.u32 %p2, %r1, 0; add.u32 %r6, %r20, 1; @%p2 bra PAST; bar.sync 0; "
                "PAST:"),
        4 + L1 + 20 + 20 + 4, "a comparison is waited for behind a load");
    expect(time_of(c, 1, true, LOAD(20, "%rd1") WAIT(20), "ld.global.cg.u32 %r6, [%rd1];"), L2 + REST,
           "so do those marked .cg");
    expect(time_of(c, 1, true, LOAD(20, "%rd1") WAIT(20), "ld.global.ca.u32 %r6, [%rd1];"), L1 + REST,
           "not those marked .ca");
    /* %r9 is the start of an array: 16 bytes there are one access, of two passes, since all lanes
     * want the same. Nothing is known of %r12: four accesses. */
#define FOUR(base)                                                                                 \
    "ld.shared.u32 %r20, [" base "]; ld.shared.u32 %r21, [" base "+4]; ld.shared.u32 %r22, [" base \
    "+8]; ld.shared.u32 %r6, [" base "+12];"
    expect(time_of(c, 32, true, "", FOUR("%r9")), PASS + SHARED + REST,
           "four neighbouring words of shared memory are one access");
    expect(time_of(c, 32, true, "add.u32 %r12, %r9, %r4; add.u32 %r13, %r12, 1;", FOUR("%r12")), SHARED + REST,
           "where nothing is known of their place they are four, and the one that is needed goes first");
    expect(
        time_of(c, 1, true, "", "ld.shared.u32 %r20, [%r9]; st.shared.u32 [%r9+64], %r1; ld.shared.u32 %r6, [%r9+4];"),
        2 * 4 + SHARED + REST, "a store between two words keeps them apart");

    /* four lines fill the L1; the least recently used one goes */
    static const char four[] = LOAD(20, "%rd1") LOAD(21, "%rd1+128") LOAD(22, "%rd1+256") LOAD(23, "%rd1+384") WAIT(20)
        WAIT(21) WAIT(22) WAIT(23);
    char five[512];
    snprintf(five, sizeof five, "%s%s", four, LOAD(24, "%rd1+512") WAIT(24));
    expect(time_of(c, 1, true, four, LOAD(6, "%rd1")), L1 + REST, "four lines fit the L1");
    expect(time_of(c, 1, true, five, LOAD(6, "%rd1")), L2 + REST, "a fifth drives the first out");
    expect(time_of(c, 1, true, five, LOAD(6, "%rd1+512")), L1 + REST, "and is there itself");
    sim_card shared = small;
    /* 4096 bytes of shared memory per block and room for 8 blocks: the L1 keeps one line */
    shared.timing.unified_bytes = 4096 + 4 * 128;
    expect(time_of(&shared, 1, true, four, LOAD(6, "%rd1")), L2 + REST, "shared memory takes room from the L1");

    expect(time_of(c, 32, false, "", LOAD(6, "%rd3")), DRAM + REST, "32 neighbours are one line");
    expect(moved, 128, "of four sectors");
    expect(time_of(c, 32, true, "", LOAD(6, "%rd4")), 31 * LINE_PORT + L2 + REST,
           "32 lines pass the port one after the other");
    sim_card slow = small;
    slow.timing.l2_rate = 2; /* 16 clocks per sector */
    expect(time_of(&slow, 32, true, "", LOAD(6, "%rd4")), 31 * 16 + L2 + REST,
           "the L2 gives its bytes one after the other");
    slow.timing.l2_slices = 2;
    slow.timing.l2_slice_bytes = 128;
    double halves = time_of(&slow, 32, true, "", LOAD(6, "%rd4"));
    expect(halves >= 15 * 32 + L2 + REST, 1, "two slices share them, each at half the rate");
    /* Two multiprocessors want the same 32 lines at once. The time of the second is written
     * last. */
#define OTHER_SECTOR                                                                                    \
    "mov.u32 %r70, %ctaid.x; shl.b32 %r70, %r70, 5; cvt.u64.u32 %rd7, %r70; add.s64 %rd4, %rd4, %rd7; " \
    "cvt.u32.u64 %r71, %rd4;" WAIT(71)
    sim_card pair = small;
    pair.timing.l2_rate = 2;
    blocks = 2;
    expect(time_of(&pair, 32, true, "", LOAD(6, "%rd4")), 63 * 16 + L2 + REST,
           "the L2 gives them to one multiprocessor after the other");
    pair.timing.l2_askers = 2;
    expect(time_of(&pair, 32, true, "", LOAD(6, "%rd4")), 31 * 16 + L2 + REST, "two that ask together get them once");
    expect(time_of(&pair, 32, true, OTHER_SECTOR, LOAD(6, "%rd4")), 63 * 16 + L2 + REST,
           "but not when the second one wants other sectors");
    blocks = 1;
    slow = small;
    slow.timing.dram_bytes = 2; /* 16 clocks per sector */
    expect(time_of(&slow, 32, false, "", LOAD(6, "%rd4")), 31 * 16 + DRAM + REST,
           "DRAM moves its bytes one after the other");
    slow.timing.dram_least = 64;
    expect(time_of(&slow, 32, false, "", LOAD(6, "%rd4")), 31 * 32 + DRAM + REST, "at least so many at a time");

    /* A load waits for the port until an access whose lanes are so many bytes apart has left it.
     * Where four tags are looked up at once: */
    sim_card tags = small;
    tags.timing.l1_tags = 4;
    tags.timing.l2_rate = 64; /* two sectors per clock: not the bottleneck */
#define APART(bytes)                                                                                  \
    "mul.wide.u32 %rd7, %r1, " #bytes "; add.s64 %rd8, %rd1, %rd7; cvt.u32.u64 %r20, %rd8;" WAIT(20), \
        "ld.volatile.global.u32 %r21, [%rd8]; ld.volatile.global.u32 %r6, [%rd1+32];"
    expect(time_of(&small, 32, true, APART(132)), 32 * LINE_PORT + L2 + REST, "each of 32 lines keeps the port");
    expect(time_of(&tags, 32, true, APART(132)), 8 * LINE_PORT + L2 + REST, "8 in each of four do");
    /* Line numbers with the same remainder are spread as if at random: one of the four gets at
     * least 8 and at most 16 lines. */
    const double rows = time_of(&tags, 32, true, APART(516));
    expect(rows >= 8 * LINE_PORT + L2 + REST && rows <= 16 * LINE_PORT + L2 + REST, 1, "rows are spread over the four");
    expect(time_of(&tags, 32, true, APART(128)), 32 * LINE_PORT + L2 + REST, "and 32 words in one bank");
#define ONE_PLACE(load) "ld.volatile.global" load ", [%rd1]; ld.volatile.global.u32 %r6, [%rd1+32];"
    expect(time_of(&tags, 32, true, "", ONE_PLACE(".u32 %r21")), LINE_PORT + L2 + REST,
           "a word of one place goes once through the L1");
    expect(time_of(&tags, 32, true, "", ONE_PLACE(".v4.u32 {%r21, %r22, %r23, %r24}")), 4 * LINE_PORT + L2 + REST,
           "16 bytes of one place go four times");

    /* stores: 4 sectors keep the slice busy for 16 clocks, and the next load waits */
#define STORE "st.global.u32 [%rd3+1024], %r1; " LOAD(6, "%rd1")
    sim_card stores = small;
    stores.timing.l2_write = 2;
    stores.timing.l2_partial = 7;
    expect(time_of(&small, 32, true, "", STORE), 16 + L2 + REST, "a store keeps its slice");
    expect(time_of(&stores, 32, true, "", STORE), 32 + L2 + REST, "longer than a load, where the card says so");
    expect(time_of(&stores, 1, true, "", STORE), 2 * 4 + 7 + L2 + REST, "and for each sector that it does not fill");
#define THREE \
    "st.global.u32 [%rd4], %r1; st.global.u32 [%rd4+4096], %r1; st.global.u32 [%rd4+8192], %r1; mov.u32 %r6, %r1;"
    slow = small;
    slow.timing.dram_bytes = 0.5; /* 64 clocks per sector; the L2 keeps 64 of the 96 lines */
    time_of(&slow, 32, false, "", THREE);
    expect(cycles >= 32 * 64 - DRAM, 1, "a launch is not over before there was room for all that it stores");

    expect(time_of(c, 1, true, "", "atom.global.add.u32 %r6, [%rd1], %r1;"), ATOMIC + REST, "an atomic");
    expect(time_of(c, 32, true, "", "atom.global.add.u32 %r6, [%rd1], %r1;"), ATOMIC + 31 * 8 + REST,
           "32 lanes at one word wait for each other");
#define AT_HAND " add.s64 %rd22, %rd21, 1;" /* waits for the address */
    expect(time_of(c, 32, true, "", "atom.global.add.u32 %r6, [%rd3], %r1;"), ATOMIC + 3 * 8 + REST,
           "32 words are 4 sectors, one after the other");
    expect(time_of(c, 32, true,
                   "and.b32 %r20, %r1, 7; mul.wide.u32 %rd20, %r20, 4; add.s64 %rd21, %rd1, %rd20;" AT_HAND,
                   "atom.global.add.u32 %r6, [%rd21], %r1;"),
           ATOMIC + 3 * 8 + REST, "4 lanes at each word of one sector are 4 passes");
    expect(time_of(c, 32, true, "", "atom.global.add.u32 %r6, [%rd1], 1;"), ATOMIC + REST,
           "the machine code makes one of them when all add the same");
    expect(time_of(c, 32, true,
                   "mov.u32 %r20, %ctaid.x; mul.wide.u32 %rd20, %r20, 4; add.s64 %rd21, %rd1, %rd20;" AT_HAND,
                   "atom.global.add.u32 %r6, [%rd21], 1;"),
           ATOMIC + REST, "also at a word of the block's own");
    expect(time_of(c, 32, true,
                   "shr.u32 %r20, %r1, 5; mul.wide.u32 %rd20, %r20, 4; add.s64 %rd21, %rd1, %rd20;" AT_HAND,
                   "atom.global.add.u32 %r6, [%rd21], 1;"),
           ATOMIC + 31 * 8 + REST, "but not where lanes only come to be at one word");
    expect(time_of(c, 32, true, "", "atom.global.cas.b32 %r6, [%rd1], %r1, %r1;"), ATOMIC + 31 * 5 + REST,
           "only one of 32 that compare and swap a word changes it");
    sim_card floats = small;
    floats.timing.atomic_float = 20;
#define FLOAT            ".reg .f32 %f<9>; cvt.rn.f32.u32 %f2, %r1; cvt.rzi.u32.f32 %r20, %f2;" WAIT(20)
#define ADD_FLOAT(where) "atom.global.add.f32 %f1, [" where "], %f2; mov.b32 %r6, %f1;"
    const double one = time_of(&floats, 1, true, FLOAT, ADD_FLOAT("%rd1"));
    expect(time_of(&floats, 32, true, FLOAT, ADD_FLOAT("%rd1")), one + 31 * 20,
           "sums of floats at one word wait for each other, so long");
    expect(time_of(&floats, 32, true, FLOAT, ADD_FLOAT("%rd3")), one - (20 - 8) + 3 * 8,
           "those at words of their own only for the sectors");

    /* several PTX instructions that are one of the machine code */
    expect(time_of(c, 32, false, "", "add.u32 %r20, %r9, 4; ld.shared.u32 %r6, [%r20];"), SHARED + REST,
           "a sum with a constant is part of an address");
    expect(time_of(c, 32, false, FLOAT, "cvt.rmi.f32.f32 %f3, %f2; cvt.rzi.s32.f32 %r6, %f3;"),
           time_of(c, 32, false, FLOAT, "cvt.rzi.s32.f32 %r6, %f2;"), "rounding is part of a conversion");
    sim_card two = small; /* separate units for floats and integers, as from compute 7.0 on */
    two.timing.units = 2;
    two.timing.issue = two.timing.float_issue = two.timing.integer_issue = 1;
    two.timing.latency = 4, two.timing.multiply_issue = 1, two.timing.multiply_latency = 5,
    two.timing.predicate_latency = 13;
#define DIVIDE "div.u32 %r6, %r6, %r21; "
#define BEFORE "add.u32 %r21, %r1, 3; add.u32 %r22, %r1, 3; mov.u32 %r6, %r1; "
    const double divided = time_of(&two, 32, false, BEFORE, DIVIDE), rest = 1 + 3 * 5 + 2 * 13 + 3 * 4;
    expect(time_of(&two, 32, false, BEFORE, DIVIDE DIVIDE) - divided, rest,
           "who divides by the same number again has its reciprocal");
    expect(time_of(&two, 32, false, BEFORE, DIVIDE "div.u32 %r6, %r6, %r22; ") > divided + rest, true,
           "another number has one of its own");
    expect(time_of(&two, 32, false, BEFORE, DIVIDE "add.u32 %r21, %r6, 1; " DIVIDE) > divided + rest + 4, true,
           "and so has one that has changed");
    expect(time_of(&two, 32, false, BEFORE,
                   "mov.u32 %r23, 0; AGAIN: " DIVIDE
                   "add.u32 %r23, %r23, 1; setp.lt.u32 %p2, %r23, 3; @%p2 bra AGAIN;") < 3 * divided,
           true, "before a loop that does not change it");
#define HIGH "mul.hi.u32 %r6, %r6, %r9; "
    expect(time_of(&two, 32, false, "mov.u32 %r6, %r1;", HIGH HIGH HIGH) -
               time_of(&two, 32, false, "mov.u32 %r6, %r1;", HIGH HIGH),
           5, "the upper half of a product is there as soon as the lower one");
    two.timing.high_latency = 9;
    expect(time_of(&two, 32, false, "mov.u32 %r6, %r1;", HIGH HIGH HIGH) -
               time_of(&two, 32, false, "mov.u32 %r6, %r1;", HIGH HIGH),
           9, "or later, if the card says so");
    two.timing.high_latency = 0;
    /* So many products that additions stay in the integer unit. */
#define BUSY                                                                                           \
    "mad.lo.u32 %r40, %r1, %r1, %r1; mad.lo.u32 %r41, %r1, %r1, %r1; mad.lo.u32 %r42, %r1, %r1, %r1; " \
    "mad.lo.u32 %r43, %r1, %r1, %r1; "
#define BUSIER      BUSY BUSY BUSY BUSY BUSY BUSY BUSY BUSY
#define UPPER(make) make " shr.u64 %rd22, %rd21, 32; cvt.u32.u64 %r6, %rd22;"
    /* Low by low at 1, for 2 clocks, ready at 6. High by low, plus low by high, ready at 11. The
     * sum of the upper halves at 15. With a factor of 32 bits the second product is not needed. */
    const double product = time_of(&two, 32, false, BUSIER, UPPER("mul.lo.s64 %rd21, %rd3, %rd4;"));
    expect(product - time_of(&two, 32, false, BUSIER, UPPER("mul.lo.s64 %rd21, %rd3, 3;")), 5,
           "a product of 64 bits by a number of 32 is a multiplication less");
    expect(time_of(&two, 32, false, BUSIER, UPPER("mul.lo.s64 %rd20, %rd3, %rd4; add.s64 %rd21, %rd20, %rd1;")),
           product, "a number that is added to it is added in it");
    expect(time_of(&two, 32, false, BUSIER, UPPER("mul.lo.s64 %rd20, %rd3, %rd4; add.s64 %rd21, %rd20, 5;")),
           product + 2, "a constant is moved there, in two parts");
#define FOUR_LOGIC(with)                                                                      \
    "and.b64 %rd20, %rd3, " with "; or.b64 %rd21, %rd3, " with "; xor.b64 %rd22, %rd4, " with \
    "; and.b64 %rd23, %rd4, " with ";"
    expect(time_of(&two, 32, false, "mov.u32 %r6, %r1;", FOUR_LOGIC("%rd1")) -
               time_of(&two, 32, false, "mov.u32 %r6, %r1;", FOUR_LOGIC("255")),
           4, "logic with a constant of 32 bits leaves the upper half alone");
#define VIEW ".reg .f32 %f<9>; .reg .b32 %b<9>; cvt.rn.f32.u32 %f2, %r1; "
#define SUMS "add.f32 %f3, %f2, %f2; add.f32 %f4, %f3, %f2; "
    expect(time_of(&two, 32, false, VIEW,
                   SUMS "mov.b32 %b1, %f4; mov.b32 %f5, %b1; mov.b32 %b2, %f5; xor.b32 %r6, %b2, 5;"),
           time_of(&two, 32, false, VIEW, SUMS "mov.b32 %b2, %f4; xor.b32 %r6, %b2, 5;"),
           "the bits of a float are an integer's without a move");
    sim_card nine = two;
    nine.cc_major = 9;
#define LARGEST    "max.s32 %r20, %r1, %r9; max.s32 %r6, %r20, %r8; "
#define LARGER_SUM "add.s32 %r20, %r1, %r9; max.s32 %r6, %r20, %r8; "
    const double one_choice = time_of(&nine, 32, false, "", "max.s32 %r6, %r1, %r8; ");
    expect(time_of(&nine, 32, false, "", LARGEST), one_choice,
           "the largest of three is one instruction for compute 9.0");
    expect(time_of(&nine, 32, false, "", LARGER_SUM), one_choice, "so is the larger of a sum and another number");
    expect(time_of(&two, 32, false, "", LARGEST) > time_of(&two, 32, false, "", "max.s32 %r6, %r1, %r8; "), true,
           "not before");
    /* what the machine code says about waiting */
    sim_card sooner = two;
    sooner.timing.select_latency = 4;
#define CHOICE "setp.gt.u32 %p2, %r1, %r9; selp.u32 %r6, %r9, %r8, %p2; "
#define GUARD  "setp.gt.u32 %p2, %r1, %r9; mov.u32 %r6, %r8; @%p2 mov.u32 %r6, 3; "
    expect(time_of(&two, 32, false, "", CHOICE) - time_of(&sooner, 32, false, "", CHOICE), 13 - 4,
           "who chooses by a comparison waits for less, if the card says so");
    expect(time_of(&sooner, 32, false, "", GUARD), time_of(&two, 32, false, "", GUARD),
           "not who is done or not as it says");
    expect(time_of(&sooner, 32, false, "",
                   "setp.gt.u32 %p2, %r1, %r9; selp.u32 %r20, 1, 0, %p2; add.u32 %r6, %r20, %r8; ") >
               time_of(&sooner, 32, false, "", CHOICE) + 4,
           true, "one that is added or not is a sum that is done or not, no choice");
    expect(time_of(&sooner, 32, false, "",
                   "min.u64 %rd20, %rd3, %rd4; shr.u64 %rd21, %rd20, 32; cvt.u32.u64 %r6, %rd21;") -
               time_of(&sooner, 32, false, "", "shr.u64 %rd21, %rd3, 32; cvt.u32.u64 %r6, %rd21;"),
           4 + 4 + 4, "the smaller of two numbers of 64 bits: lower halves, upper halves, a choice");
    sim_card port = two;
    port.timing.memory_apart = 4;
    two.timing.shared_port = port.timing.shared_port = 2;
#define TWO_LOADS "ld.shared.u32 %r20, [s]; ld.shared.u32 %r21, [s+512]; add.u32 %r6, %r20, %r21; "
    expect(time_of(&port, 32, false, "", TWO_LOADS) - time_of(&two, 32, false, "", TWO_LOADS), 4 - 2,
           "a warp's loads are so far apart");
#define SHUFFLE(to, of) "shfl.sync.bfly.b32 " to ", " of ", 1, 31, 0xffffffff; "
    expect(time_of(&two, 32, false, "", SHUFFLE("%r20", "%r1") SHUFFLE("%r21", "%r8") "add.u32 %r6, %r20, %r21;"),
           time_of(&two, 32, false, "", SHUFFLE("%r20", "%r1") "add.u32 %r6, %r20, %r8;") + 2,
           "shuffles go through the port that loads go through");
    port.timing.to_memory = 3;
#define LATE_ADDRESS "and.b32 %r20, %r8, 252; ld.shared.u32 %r6, [%r20]; "
    expect(time_of(&port, 32, false, "", LATE_ADDRESS) - time_of(&two, 32, false, "", LATE_ADDRESS), 3,
           "a result takes longer to get to the memory unit");

    /* pairs of registers */
#define SAME(what, as, label) expect(time_of(&two, 32, false, "", what), time_of(&two, 32, false, "", as), label)
    SAME("mov.b64 {%r20, %r21}, %rd3; mov.b64 %rd20, {%r20, %r21}; xor.b64 %rd21, %rd20, %rd4; cvt.u32.u64 %r6, %rd21;",
         "xor.b64 %rd21, %rd3, %rd4; cvt.u32.u64 %r6, %rd21;", "64 bits are two registers, whatever they are called");
    SAME("cvt.u64.u32 %rd20, %r1; shl.b64 %rd21, %rd20, 32; cvt.u64.u32 %rd22, %r8; or.b64 %rd23, %rd21, %rd22; "
         "shr.u64 %rd24, %rd23, 32; cvt.u32.u64 %r20, %rd24; xor.b32 %r6, %r20, %r9;",
         "xor.b32 %r6, %r1, %r9;", "two numbers become one of 64 bits, and again two, for nothing");
    SAME("and.b64 %rd20, %rd3, %rd4; xor.b64 %rd21, %rd20, %rd1; cvt.u32.u64 %r6, %rd21;",
         "xor.b64 %rd21, %rd3, %rd1; cvt.u32.u64 %r6, %rd21;", "two operations of logic are one, on 64 bits too");

    /* work that an instruction of the machine code does along with its own */
    SAME("shr.u32 %r20, %r1, 29; add.u32 %r21, %r20, %r8; xor.b32 %r6, %r21, 5;",
         "add.u32 %r21, %r1, %r8; xor.b32 %r6, %r21, 5;", "a shift down is part of the addition behind it");
    SAME("clz.b32 %r20, %r1; sub.s32 %r6, 31, %r20;", "popc.b32 %r6, %r1;",
         "31 less the zeros in front is what the card finds");
    expect(time_of(&two, 32, false, "", "clz.b32 %r20, %r1; sub.s32 %r6, 30, %r20;") >
               time_of(&two, 32, false, "", "popc.b32 %r6, %r1;"),
           true, "not 30 less");
    SAME(".reg .b16 %h<9>; ld.shared.u8 %h2, [s]; cvt.u32.u16 %r20, %h2; and.b32 %r21, %r20, 255; add.u32 %r6, %r21, "
         "%r20;",
         ".reg .b16 %h<9>; ld.shared.u8 %h2, [s]; cvt.u32.u16 %r20, %h2; add.u32 %r6, %r20, %r20;",
         "a mask that takes nothing away is nothing");
#define MASKED(by) "ld.shared.u8 %r20, [s]; and.b32 %r6, %r20, " by "; "
    expect(time_of(&two, 32, false, "", MASKED("127")) > time_of(&two, 32, false, "", MASKED("255")), true,
           "a shorter one is");
    expect(time_of(&two, 32, false, "", "ld.shared.s8 %r20, [s]; and.b32 %r6, %r20, 255;"),
           time_of(&two, 32, false, "", MASKED("127")), "so is one that takes a sign away");
#define SHORT(also) \
    ".reg .b16 %h<9>; .reg .f32 %f<9>; ld.shared.u8 %h2, [s]; cvt.rn.f32.u16 %f2, %h2; mov.b32 %r20, %f2; " also
    expect(
        time_of(&two, 32, false, "", SHORT("add.u32 %r6, %r20, 1; cvt.u32.u16 %r21, %h2; add.u32 %r6, %r6, %r21; ")) >
            time_of(&two, 32, false, "", SHORT("add.u32 %r6, %r20, 1; add.u32 %r6, %r6, %r8; ")) + 4,
        true, "a short number that others want too becomes a float by the special unit");
#define TESTED(logic, test) logic test "mov.u32 %r6, %r8; @%p2 mov.u32 %r6, 3; "
    SAME(TESTED("and.b32 %r20, %r1, %r9; ", "setp.eq.s32 %p2, %r20, 0; "), TESTED("", "setp.eq.s32 %p2, %r1, 0; "),
         "whether bits are left is known with them");
    expect(time_of(&two, 32, false, "", TESTED("and.b32 %r20, %r1, %r9; ", "setp.eq.s32 %p2, %r20, 1; ")) >
               time_of(&two, 32, false, "", TESTED("", "setp.eq.s32 %p2, %r1, 0; ")),
           true, "whether they are a number is asked for behind it");
#define DONE(behind) "xor.b32 %r21, %r8, 5; add.u32 %r20, %r21, %r1; selp.b32 %r22, %r20, %r21, %p1; " behind
    SAME(DONE("add.u32 %r6, %r22, %r9; "), "xor.b32 %r21, %r8, 5; add.u32 %r22, %r21, %r1; add.u32 %r6, %r22, %r9; ",
         "a sum or what was before is a sum that is done or not");
    expect(time_of(&two, 32, false, "", DONE("add.u32 %r6, %r22, %r21; ")) >
               time_of(&two, 32, false, "", DONE("add.u32 %r6, %r22, %r9; ")),
           true, "where what was before is wanted still it is a choice");

    /* A branch around a jump to one side, followed by the other side: the same as one branch with
     * the opposite condition. */
#define ROUND(begin) \
    "setp.lt.u32 %p2, %r1, %r9; " begin " add.u32 %r6, %r1, 7; bra.uni BOTH; TWO: add.u32 %r6, %r1, 9; BOTH: "
    SAME(ROUND("@%p2 bra ONE; bra.uni TWO; ONE:"), ROUND("@%p2 bra TWO;"),
         "a branch around a jump is that jump, under the opposite condition");

#define UPWARDS(from, to) "cvt.rp.f32.u32 %f3, " from "; mov.b32 " to ", %f3; "
    expect(time_of(&two, 32, false, VIEW, UPWARDS("%r1", "%r20") UPWARDS("%r20", "%r6")) -
               time_of(&two, 32, false, VIEW, UPWARDS("%r1", "%r6")),
           two.timing.special_latency, "rounded upwards an integer becomes a float by the special unit");
#define OVER(what) "@%p2 bra OVER; " what " OVER: ld.shared.u32 %r6, [s];"
#define ALWAYS     "setp.ge.u32 %p2, %r1, 0; selp.u32 %r20, 1, 2, %p2; " WAIT(20)
    expect(time_of(c, 32, false, ALWAYS, OVER("add.u32 %r21, %r1, 1; add.u32 %r22, %r1, 2; add.u32 %r23, %r1, 3;")),
           3 * 4 + SHARED + REST, "what a short jump passes over is issued");
    sim_card narrow = small;
    narrow.timing.shared_port = 50;
    expect(time_of(&narrow, 32, false, ALWAYS, OVER("st.shared.u32 [s], %r1;")), 50 + SHARED + REST,
           "and keeps the port, though no lane is on");
    expect(time_of(c, 32, false, "", "ld.shared.u32 %r6, [%r8];"), SHARED + 31 * PASS + REST,
           "a 32-way conflict is 32 passes");
    expect(fabs((double)total.by_stall[SIM_STALL_CONFLICT] / (31 * PASS) - 1) < 0.1, 1,
           "31 of them are booked as conflicts");
    sim_card busy = small;
    busy.timing.shared_port = 64;
    time_of(&busy, 256, false, "", "ld.shared.u32 %r20, [%r10]; ld.shared.u32 %r6, [%r10+4];");
    expect(total.by_stall[SIM_STALL_CONFLICT], 0,
           "eight warps without conflicts wait for each other: none of that is a conflict");
    expect(total.by_stall[SIM_STALL_SHARED_PORT] > total.by_stall[SIM_STALL_SHARED], 1, "but the way that they share");
    /* 31 * 64 clocks of the port for conflicts, 64 + LINE_PORT for the rest: 27 to 1 */
    time_of(&busy, 256, true, "and.b32 %r20, %r1, 31; mad.lo.u32 %r21, %r20, 128, %r9;",
            "ld.shared.u32 %r22, [%r21]; " LOAD(6, "%rd3"));
    expect(total.by_stall[SIM_STALL_CONFLICT] > 10 * total.by_stall[SIM_STALL_PORT], 1,
           "loads behind a 32-way conflict wait for that, not for transactions");
    time_of(&busy, 256, true, "", "ld.shared.u32 %r22, [%r10]; " LOAD(6, "%rd3"));
    expect(total.by_stall[SIM_STALL_CONFLICT], 0, "behind one pass they do not,");
    expect(total.by_stall[SIM_STALL_PORT] > 0, 1, "but for the port");
    busy.timing.shared_peace = 1;
    const double free_of = time_of(&busy, 32, false, "", "ld.shared.u32 %r6, [%r8];");
    expect(free_of, time_of(&busy, 32, false, "", "ld.shared.u32 %r6, [%r10];"),
           "where conflicts cost nothing, an access with one is as one without");
    time_of(c, 32, false, "", "red.shared.add.u32 [s], %r1; ld.shared.u32 %r6, [s];");
    expect(total.by_stall[SIM_STALL_CONFLICT], 0, "32 lanes that add at one word take turns: no conflict of banks");
    expect(time_of(c, 32, false, "", "red.shared.add.u32 [s], %r1; ld.shared.u32 %r6, [s];"), 32 * 2 + SHARED + REST,
           "32 lanes add at one word");
    expect(time_of(c, 32, false, "", "red.shared.add.u32 [s], 1; ld.shared.u32 %r6, [s];"), 4 + SHARED + REST,
           "those that count are merged");
    expect(time_of(c, 32, false, "", "ld.shared.u32 %r6, [s];"), SHARED + REST, "a broadcast is one");

    sim_card large = small; /* local memory: the 32 lanes' copies of a word are adjacent, 128 bytes per word */
    large.timing.l1_bytes = 8192;
#define OWN     ".local .align 4 .b8 own[128]; mov.u64 %rd20, own; add.s64 %rd21, %rd20, %rd5; "
#define READ(a) "ld.local.u32 %r20, [" a "]; add.u32 %r21, %r20, 1; "
    expect(time_of(&large, 32, false, OWN "st.local.u32 [%rd20], %r1; bar.sync 0;", "ld.local.u32 %r6, [%rd20];"),
           L2 + REST, "a thread's own word is in the L2");
    expect(time_of(&large, 32, false, OWN "st.local.u32 [%rd20], %r1; " READ("%rd20"), "ld.local.u32 %r6, [%rd20];"),
           L1 + REST, "and in the L1 once it was read");
    expect(time_of(&large, 32, false, OWN "st.local.u32 [%rd21], %r1; " READ("%rd21"), "ld.local.u32 %r6, [%rd21];"),
           31 * LINE_PORT + L1 + REST, "32 different elements are 32 lines");
    expect(time_of(&large, 32, false, OWN "st.local.v2.u32 [%rd20], {%r1, %r1}; " READ("%rd20") READ("%rd20+4"),
                   "ld.local.v2.u32 {%r5, %r6}, [%rd20];"),
           LINE_PORT + L1 + REST, "8 bytes are two");

    sim_card fine = small;
    fine.timing.line_sector = 7;
    expect(time_of(&fine, 32, true, "", LOAD(6, "%rd3")), 3 * 7 + L2 + REST,
           "the sectors of a line come one after the other");
    expect(time_of(&fine, 32, false, "", LOAD(6, "%rd3")), 3 * 7 + DRAM + REST, "from DRAM too");
    /* 32 sectors take 64 clocks of the channel. All of them are in flight when another one is
     * requested, long after the channel is free. (T - 600) (T - 64) = 100 * 64 gives T = 611.7. */
    fine = small;
    fine.timing.port_line = 1;
    fine.timing.l2_rate = 1024; /* not the bottleneck */
    fine.timing.dram_crowd = 100;
#define LATER                                                                                                         \
    "add.u32 %r30, %r1, 1; add.u32 %r31, %r30, 1; add.u32 %r32, %r31, 1; add.u32 %r33, %r32, 1; mul.wide.u32 %rd30, " \
    "%r33, 4; add.s64 %rd31, %rd1, %rd30; "
    const double crowded = time_of(&fine, 32, false, LOAD(20, "%rd4"), LATER LOAD(6, "%rd31+8176"));
    fine.timing.dram_crowd = 0;
    expect(crowded - time_of(&fine, 32, false, LOAD(20, "%rd4"), LATER LOAD(6, "%rd31+8176")), 12,
           "what is under way makes others slower before DRAM is busy");
    fine.timing.dram_crowd = 100;
    expect(time_of(&fine, 1, false, "", LOAD(6, "%rd1")), DRAM + REST, "not one that is alone");

    /* Stores of three words per lane. Each store touches 12 sectors and fills a third of each. The
     * next load waits for the slice: 3 * 12 * (4 + 30) clocks, or 12 * 4 when the stores are
     * merged. The first store issues at 4. */
    fine = small;
    fine.timing.port_line = 0;
    fine.timing.l2_partial = 30;
#define PLACES "mul.wide.u32 %rd20, %r1, 12; add.s64 %rd21, %rd1, %rd20;"
#define STORES \
    "st.global.u32 [%rd21], %r1; st.global.u32 [%rd21+4], %r1; st.global.u32 [%rd21+8], %r1;" LOAD(6, "%rd1+2048")
    expect(time_of(&fine, 32, true, PLACES AT_HAND, STORES), 4 + 3 * 12 * 34 + L2 + 4,
           "the L2 takes longer for sectors that are filled in part");
    fine.timing.store_lines = 6;
    expect(time_of(&fine, 32, true, PLACES AT_HAND, STORES), 4 + 12 * 4 + L2 + 4,
           "the L1 puts stores to the same lines together");
    expect(time_of(&fine, 32, true, PLACES AT_HAND,
                   "st.global.u32 [%rd21], %r1; st.global.u32 [%rd21], %r9; st.global.u32 [%rd21], %r8;" LOAD(
                       6, "%rd1+2048")),
           4 + 3 * 12 * 34 + L2 + 4, "those to the same words are sent each");
    fine.timing.store_lines = 5;
    expect(time_of(&fine, 32, true, PLACES AT_HAND, STORES), 4 + 3 * 12 * 34 + L2 + 4,
           "but not those to more lines than half of what it has room for");
    fine.timing.store_lines = 6;
    expect(time_of(&fine, 32, true,
                   "mul.wide.u32 %rd22, %r1, 8; add.s64 %rd23, %rd1, %rd22; add.s64 %rd24, %rd23, 1;" PLACES AT_HAND,
                   "st.global.u32 [%rd21], %r1; st.global.u32 [%rd23+1024], %r1; st.global.u32 [%rd23+1280], %r1; "
                   "st.global.u32 [%rd21+4], %r1;" LOAD(6, "%rd1+2048")),
           4 + (12 + 8 + 8 + 12) * 34 + L2 + 4, "nor when others have come between and taken their room");

    /* Two warps, each with one word of what would be a struct: the time is the same with and
     * without merging of stores. */
#define OTHERS                                                                                                \
    "and.b32 %r20, %r1, 31; mul.wide.u32 %rd20, %r20, 12; add.s64 %rd22, %rd1, %rd20; shr.u32 %r21, %r1, 5; " \
    "mul.wide.u32 %rd23, %r21, 4; add.s64 %rd21, %rd22, %rd23;"
#define ONE_EACH "st.global.u32 [%rd21], %r1; bar.sync 0;" LOAD(6, "%rd1+2048")
    const double put = time_of(&fine, 64, true, OTHERS AT_HAND, ONE_EACH);
    fine.timing.store_lines = 0;
    expect(put, time_of(&fine, 64, true, OTHERS AT_HAND, ONE_EACH), "nor those of another warp");

    /* constants at addresses that differ per lane */
    fine = small;
    fine.timing.constant_latency = 30, fine.timing.constant_pass = 11, fine.timing.constant_port = 2;
    constants = ".const .align 4 .b8 table[256];\n";
#define POINT(mask, size)                                            \
    "and.b32 %r20, %r1, " #mask "; mul.wide.u32 %rd20, %r20, " #size \
    "; mov.u64 %rd23, table; add.s64 %rd21, %rd23, %rd20;" AT_HAND
    expect(time_of(&fine, 32, true, POINT(0, 4), "ld.const.u32 %r6, [%rd21];"), 30 + REST,
           "all lanes want the same constant");
    expect(time_of(&fine, 32, true, POINT(7, 4), "ld.const.u32 %r6, [%rd21];"), 30 + 7 * 11 + REST,
           "eight different ones come one after the other");
    expect(time_of(&fine, 32, true, POINT(3, 1), "ld.const.u8 %r6, [%rd21];"), 30 + 3 * 11 + REST,
           "so do bytes of one word");
    expect(time_of(&fine, 32, true, POINT(31, 4),
                   "ld.const.u32 %r5, [%rd21]; ld.const.u32 %r21, [%rd21+16]; add.u32 %r6, %r5, %r21;"),
           32 * 2 + 30 + 31 * 11 + REST, "the next load waits for the way there");
    expect(time_of(&fine, 32, true, "", "ld.const.u32 %r6, [table];"),
           time_of(c, 32, true, "", "ld.const.u32 %r6, [table];"), "one whose address is known is an operand");
#define BOTH(first, second) \
    "ld.const.u32 %r5, [%rd21+" #first "]; ld.const.u32 %r21, [%rd21+" #second "]; add.u32 %r6, %r5, %r21;"
    const double single = time_of(&fine, 32, true, POINT(7, 8), "ld.const.u32 %r5, [%rd21]; add.u32 %r6, %r5, %r1;");
    expect(time_of(&fine, 32, true, POINT(7, 8), BOTH(0, 4)), single, "two side by side are one load");
    expect(time_of(&fine, 32, true, POINT(7, 8), BOTH(4, 8)), single + 8 * 2,
           "not where a piece of 8 bytes ends between them");
    constants = "";

    /* match: lanes with the same value find each other, one value after the other, in that unit */
#define MATCH(mask, how) "and.b32 %r20, %r1, " #mask "; " WAIT(20), "match." #how ".sync.b32 %r6, %r20, 0xffffffff;"
    expect(time_of(&fine, 32, true, MATCH(0, any)), SHARED + REST,
           "one value is matched as quickly as lanes are shuffled");
    expect(time_of(&fine, 32, true, MATCH(7, any)), SHARED + 7 * 11 + REST, "eight values come one after the other");
    expect(time_of(&fine, 32, true, MATCH(7, all)), SHARED + REST,
           "not when all that is asked is whether they are one");
    expect(time_of(
               &fine, 32, true, "and.b32 %r20, %r1, 31; " WAIT(20),
               "match.any.sync.b32 %r5, %r20, 0xffffffff; match.any.sync.b32 %r21, %r20, 0xffffffff; add.u32 %r6, %r5, "
               "%r21;"),
           32 * 2 + SHARED + 31 * 11 + REST, "the next one waits for the way there");

    /* Eight turns less four turns, with a load per turn: the time of the last four. ptxas unrolls
     * them into one turn, where all loads precede their uses: three of four loads take no time. */
#define LOOP(turns, above, step, inside)                                                                               \
    "mov.u64 %rd7, %rd1; mov.u32 %r6, 0; mov.u32 %r20, " #turns "; mov.u32 %r22, 1; TURN: " above                      \
    "ld.global.u32 %r21, [%rd7]; " inside "add.u32 %r6, %r6, %r21; add.u64 %rd7, %rd7, 128; sub.s32 %r20, %r20, " step \
    "; setp.ne.s32 %p2, %r20, 0; @%p2 bra TURN;"
#define LAST_FOUR(card, above, step, inside)                    \
    (time_of(card, 1, true, "", LOOP(8, above, step, inside)) - \
     time_of(card, 1, true, "", LOOP(4, above, step, inside)))
#define NOT ".pragma \"nounroll\"; "
#define PUT "st.global.u32 [%rd2+64], %r1; "
    fine = small;
    fine.timing.l2_latency = 4;
    const double no_wait = LAST_FOUR(&fine, NOT, "1", ""), waits = LAST_FOUR(c, NOT, "1", "");
    expect(waits >= 4 * (L2 + 4), true, "a loop that is not unrolled waits in each turn");
    expect(LAST_FOUR(c, "", "1", ""), (3 * no_wait + waits) / 4, "one that is in one of four");
    expect(LAST_FOUR(c, "", "%r22", ""), waits, "one that does not count by a constant is not unrolled");
    expect(LAST_FOUR(c, "", "1", PUT), LAST_FOUR(c, NOT, "1", PUT), "and loads do not pass stores");

    /* A load after a branch is issued before it. Loads at 4 and 12. Between them, an addition needs
     * the first load: its result is ready at 4 + L2 + 24, the second addition's 24 later. Where the
     * second load may not move up, it is issued when the store has passed the port. */
#define SIDE(between, label) \
    LOAD(20, "%rd1")         \
    "add.u32 %r6, %r20, 1; " between "@%p1 bra PAST; " label LOAD(21, "%rd1+1024") "add.u32 %r6, %r6, %r21; PAST: "
    expect(time_of(c, 1, true, "", SIDE("", "")), 4 + L2 + 2 * 24 + 4,
           "a load behind a branch that is none stands in front of what does not need it");
    expect(time_of(c, 1, true, "", SIDE("st.global.u32 [%rd2+64], %r6; ", "")), 4 + L2 + 24 + LINE_PORT + L2 + 24 + 4,
           "not where a store is between");
    expect(time_of(c, 1, true, "setp.eq.u32 %p3, %r1, 99; @%p3 bra SIDE;", SIDE("", "SIDE: ")) > 2 * L2, true,
           "nor where somebody comes from elsewhere");

    /* Two instructions, at 4 and 8; the addition issues 24 after the second. With other numbers
     * they are three, and one more latency of 24. */
#define EITHER(other) "min.s32 %r20, %r1, %r8; max.s32 %r21, %r8, " other "; selp.b32 %r6, %r20, %r21, %p1;"
    expect(time_of(c, 32, true, "", EITHER("%r1")), 8 + 24 + 4,
           "the smaller or the larger of two integers is no choice of its own");
    expect(time_of(c, 32, true, "", EITHER("%r9")), 8 + 24 + 24 + 4, "a choice between other numbers is");

    /* 64-bit numbers of which only 32 bits matter: %rd20 and %rd21 are widened, %rd1 is any
     * number. */
    fine = small;
    fine.timing.units = 2;
#define WIDENED(how, other)              \
    "cvt." how " %rd20, %r1; cvt." other \
    " %rd21, %r9; add.s64 %rd24, %rd20, %rd21; st.global.u64 [%rd2+128], %rd24;" AT_HAND
#define PRODUCT(x, y) \
    "mul.lo.s64 %rd22, " x ", " y "; add.s64 %rd23, %rd22, %rd1; st.global.u64 [%rd2+64], %rd23; add.u32 %r6, %r1, 1;"
#define WIDE(type)   \
    "mul.wide." type \
    " %rd22, %r1, %r9; add.s64 %rd23, %rd22, %rd1; st.global.u64 [%rd2+64], %rd23; add.u32 %r6, %r1, 1;"
    const double short_one = time_of(&fine, 32, true, WIDENED("u64.u32", "u64.u32"), WIDE("u32")),
                 long_one = time_of(&fine, 32, true, WIDENED("u64.u32", "u64.u32"), PRODUCT("%rd20", "%rd1"));
    expect(short_one < long_one, true, "a product of any two numbers of 64 bits is several instructions");
    expect(time_of(&fine, 32, true, WIDENED("u64.u32", "u64.u32"), PRODUCT("%rd20", "%rd21")), short_one,
           "of two whose upper halves are empty it is as that of 32 bits");
    expect(time_of(&fine, 32, true, WIDENED("s64.s32", "s64.s32"), PRODUCT("%rd20", "%rd21")),
           time_of(&fine, 32, true, WIDENED("s64.s32", "s64.s32"), WIDE("s32")), "so with signs");
    expect(time_of(&fine, 32, true, WIDENED("u64.u32", "s64.s32"), PRODUCT("%rd20", "%rd21")), long_one,
           "not of one with a sign and one without");
    expect(time_of(&fine, 32, true, WIDENED("u64.u32", "u64.u32") "@%p1 add.s64 %rd21, %rd21, %rd1;" AT_HAND,
                   PRODUCT("%rd20", "%rd21")),
           long_one, "nor of what is long on one way");
#define LOWER "cvt.u32.u64 %r6, %rd22;"
    expect(time_of(&fine, 32, true, "", "mul.lo.s64 %rd22, %rd1, %rd2;" LOWER),
           time_of(&fine, 32, true, "", "mul.lo.u32 %r20, %r1, %r9; cvt.u64.u32 %rd23, %r20; cvt.u32.u64 %r6, %rd23;"),
           "a product of which the lower half is wanted is one of 32 bits");
    expect(time_of(&fine, 32, true, "", "mul.lo.s64 %rd22, %rd1, %rd2; cvt.sat.u32.u64 %r6, %rd22;") >
               time_of(&fine, 32, true, "", "mul.lo.s64 %rd22, %rd1, %rd2;" LOWER),
           true, "saturation looks at the upper half");
    expect(time_of(&fine, 32, true, "", "and.b64 %rd22, %rd1, 0xffffffff;" LOWER),
           time_of(&fine, 32, true, "", "cvt.u32.u64 %r6, %rd1;"), "the lower half costs nothing");

    /* An exact quotient has a branch in the machine code, so no later load moves ahead of it. The
     * two loads then take their latencies one after the other, not together. */
#define PAST(quotient) \
    LOAD(20, "%rd1") quotient "@%p1 bra PAST; " LOAD(21, "%rd1+1024") "add.u32 %r6, %r6, %r21; PAST: "
    expect(time_of(&fine, 1, true, "", PAST("rcp.approx.ftz.f32 %r6, %r20; ")) < 2 * L2, true,
           "a load stands in front of a reciprocal");
    expect(time_of(&fine, 1, true, "", PAST("rcp.rn.f32 %r6, %r20; ")) > 2 * L2, true, "not of one that is exact");
    expect(time_of(&fine, 1, true, "",
                   LOAD(20, "%rd1") "rcp.rn.f32 %r6, %r20; " LOAD(21, "%rd1+1024") "add.u32 %r6, %r6, %r21;") > 2 * L2,
           true, "nor in one block");

    /* matrix products: one pass issues for 2 + 6 clocks, two for 2 + 2 * 6; the result is ready
     * after 10 + 20 or 10 + 2 * 20 */
    fine = small;
    fine.timing.tensor_issue = 2, fine.timing.tensor_pass = 6, fine.timing.tensor_latency = 10,
    fine.timing.tensor_pass_latency = 20;
    fine.timing.tensor_double_issue = 16, fine.timing.tensor_double_latency = 26;
#define HALVES(d, c)                                                         \
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r40, %r41, %r42, " d \
    "}, {%r1, %r1}, {%r9}, {%r43, %r44, %r45, " c "}; "
#define ROUNDED(d, c)                                                          \
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r40, %r41, %r42, " d \
    "}, {%r1, %r1, %r1, %r1}, {%r9, %r9}, {" c ", %r44, %r45, %r46}; "
#define FRAGMENT(first) \
    "{%r" first "0, %r" first "1, %r" first "2, %r" first "3, %r" first "4, %r" first "5, %r" first "6, %r" first "7}"
    expect(time_of(&fine, 32, true, "", HALVES("%r6", "%r46")), 30 + REST,
           "16 x 8 x 8 products of 16 bits are one pass");
    expect(time_of(&fine, 32, true, "", HALVES("%r6", "%r46") HALVES("%r6", "%r6")), 2 * 30 + REST,
           "a second one that adds to the first waits for it");
    expect(time_of(&fine, 32, true, "", HALVES("%r5", "%r46") HALVES("%r6", "%r47")), 8 + 30 + REST,
           "one beside it for the unit");
    expect(time_of(&fine, 32, true, "", ROUNDED("%r6", "%r46")), 50 + REST, "of 32 bits they are two passes");
    expect(time_of(&fine, 32, true, "", ROUNDED("%r6", "%r46") ROUNDED("%r6", "%r6")), 2 * 50 + REST,
           "and wait though there are more operands than are looked at");
    expect(time_of(&fine, 32, true, "",
                   "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%r60, %r61, %r62, %r63, %r64, %r65, "
                   "%r66, %r6}, " FRAGMENT("7") ", " FRAGMENT("7") ", " FRAGMENT("8") ";"),
           50 + 14 + REST, "16 x 16 x 16 are two instructions");
    expect(time_of(&fine, 32, true, "",
                   "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%rd20, %rd21}, {%rd1}, {%rd1}, {%rd22, %rd23}; "
                   "cvt.u32.u64 %r6, %rd21;"),
           26 + REST, "those of doubles take their own time");

    /* One block after the other: each begins 100 clocks after the end of the one before. */
    fine = small;
    fine.multiprocessors = fine.max_blocks_per_mp = 1;
    blocks = 5;
    time_of(&fine, 32, true, "", LOAD(6, "%rd1"));
    const double at_once = (double)cycles;
    fine.timing.block_turn = 100;
    time_of(&fine, 32, true, "", LOAD(6, "%rd1"));
    expect((double)cycles - at_once, 4 * 100, "a block takes the place of another some time after that has ended");
    blocks = 1;

    uint64_t once = (time_of(c, 512, false, "", LOAD(6, "%rd4")), cycles);
    time_of(c, 512, false, "", LOAD(6, "%rd4"));
    expect((double)cycles, (double)once, "the same cycles again");
    return check_end();
}
