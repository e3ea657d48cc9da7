/* sample.c: timed launches of which only a sample of the blocks is timed, on small made-up cards,
 * against the same launch timed whole.
 *
 * The kernel adds 1 to the word of its block in `out`, so that a block that did not run, or ran
 * twice, shows. Then it runs a loop, as many rounds as the case says, and loads from `in` at an
 * address that the case says. Every case runs with one, two and three host threads, which must
 * agree in every bit, and with `exact`, which must be close.
 */
#include "sim.h"
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sim_card card = {.name = "plain",
                              .title = "plain",
                              .cc_major = 1,
                              .cc_minor = 1,
                              .max_threads_per_block = 512,
                              .max_threads_per_mp = 768,
                              .max_blocks_per_mp = 4,
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
                                         .issue = 4,
                                         .latency = 24,
                                         .multiply_issue = 16,
                                         .multiply_latency = 96,
                                         .divide_issue = 100,
                                         .divide_latency = 200,
                                         .special_issue = 16,
                                         .special_latency = 30,
                                         .double_issue = 8,
                                         .double_latency = 48,
                                         .branch_latency = 20,
                                         .barrier_latency = 16,
                                         .shared_latency = 36,
                                         .shared_pass = 2,
                                         .port_transaction = 8,
                                         .port_coalesced = 4,
                                         .dram_latency = 400,
                                         .dram_bytes = 32,
                                         .partitions = 8,
                                         .partition_bytes = 256,
                                         .address_bits = 32}};

static const struct test_case {
    /* PTX: rounds of the block, to %r4; the address, to %rd3. %r1 block, %r2 thread, %r5 round */
    const char *name, *turns, *address;
    uint32_t blocks, mps;
    enum {
        NO,
        YES,
        EITHER,
        YES_BUT /* sampled; the early estimate cannot know of the one longer block */
    } sampled;
} cases[] = {
    {"blocks alike, registers only", "mov.u32 %r4, 1000;", NULL, 2000, 8, YES},
    {"as many as fill the card ten times", "mov.u32 %r4, 4000;", NULL, 320, 8, EITHER},
    {"and one more", "mov.u32 %r4, 4000;", NULL, 321, 8, EITHER},
    {"many multiprocessors", "mov.u32 %r4, 500;", NULL, 5000, 40, YES},
    {"fewer blocks than the card holds", "mov.u32 %r4, 10000;", NULL, 100, 40, YES},
    {"fewer blocks than the card holds, and long", "mov.u32 %r4, 30000;", NULL, 100, 40, YES},
    {"fewer blocks than the card holds, one of them longer",
     "setp.eq.u32 %p2, %r1, 99; selp.u32 %r4, 40000, 30000, %p2;", NULL, 100, 40, YES_BUT},
    {"every other block is longer", "and.b32 %r4, %r1, 1; mad.lo.u32 %r4, %r4, 2000, 250;", NULL, 1000, 8, NO},
    {"the last third does nothing", "setp.lt.u32 %p2, %r1, 1000; selp.u32 %r4, 1000, 1, %p2;", NULL, 1500, 8, NO},
    {"blocks in turn, ten apart", "rem.u32 %r4, %r1, 10; mul.lo.u32 %r4, %r4, 200; sub.u32 %r4, 2250, %r4;", NULL, 1000,
     8, NO},
    {"blocks of all lengths", "mul.lo.u32 %r4, %r1, 2654435761; shr.u32 %r4, %r4, 20;", NULL, 3000, 8, YES},
    {"the further on, the longer", "add.u32 %r4, %r1, 1;", NULL, 4000, 8, YES},
    {"all lengths, many multiprocessors", "mul.lo.u32 %r4, %r1, 2654435761; shr.u32 %r4, %r4, 21;", NULL, 8000, 96,
     YES},
    {"all lengths, but what they load comes from neighbours' lines",
     "mul.lo.u32 %r4, %r1, 2654435761; shr.u32 %r4, %r4, 22;",
     "mad.lo.u32 %r6, %r5, 64, %r2; mad.lo.u32 %r6, %r1, 8, %r6; and.b32 %r6, %r6, 4194303; mul.wide.u32 %rd3, %r6, 4;",
     3000, 8, NO},
    {"fillings of millions of steps", "mov.u32 %r4, 19000;",
     "mad.lo.u32 %r6, %r5, 64, %r2; mad.lo.u32 %r6, %r1, 4096, %r6; and.b32 %r6, %r6, 4194303; mul.wide.u32 %rd3, %r6, "
     "4;",
     84, 8, YES},
    {"fillings of millions of steps, and a last one that does nothing",
     "setp.lt.u32 %p2, %r1, 192; selp.u32 %r4, 15000, 1, %p2;",
     "mad.lo.u32 %r6, %r5, 64, %r2; mad.lo.u32 %r6, %r1, 4096, %r6; and.b32 %r6, %r6, 4194303; mul.wide.u32 %rd3, %r6, "
     "4;",
     197, 8, YES},
    {"fillings of millions of steps, with barriers", "mov.u32 %r4, 10500;",
     "bar.sync 0; mul.lo.u32 %r6, %r5, 40503; mad.lo.u32 %r6, %r1, 7919, %r6; shl.b32 %r6, %r6, 6; add.u32 %r6, %r6, "
     "%r2; and.b32 %r6, %r6, 4194303; mul.wide.u32 %rd3, %r6, 4;",
     84, 8, YES},
    {"loads in a row", "mov.u32 %r4, 400;",
     "mad.lo.u32 %r6, %r1, 400, %r5; mad.lo.u32 %r6, %r6, 32, %r2; and.b32 %r6, %r6, 4194303; mul.wide.u32 %rd3, %r6, "
     "4;",
     1200, 8, YES},
    {"loads, many multiprocessors", "mov.u32 %r4, 150;",
     "mad.lo.u32 %r6, %r1, 150, %r5; mad.lo.u32 %r6, %r6, 32, %r2; and.b32 %r6, %r6, 4194303; mul.wide.u32 %rd3, %r6, "
     "4;",
     6400, 48, YES},
    {"loads of which all begin on one channel", "mov.u32 %r4, 400;",
     "mad.lo.u32 %r6, %r1, 512, %r5; mad.lo.u32 %r6, %r6, 64, %r2; and.b32 %r6, %r6, 4194303; mul.wide.u32 %rd3, %r6, "
     "4;",
     1200, 8, YES},
    {"one lane's loads from a few rows", "mov.u32 %r4, 400;",
     "mad.lo.u32 %r6, %r5, 512, %r1; and.b32 %r6, %r6, 4194303; mul.wide.u32 %rd3, %r6, 4;", 2400, 8, NO},
};

static void agrees(bool good, const char *name, const char *what, double got, double wanted)
{
    check_that(good, "%s: %s: %.0f, not %.0f", name, what, got, wanted);
}

typedef struct run {
    sim_result r;
    uint64_t soon;  /* the early estimate of the cycles, before all blocks had run; 0: none */
    uint32_t wrong; /* blocks that did not run exactly once */
} run;

static void tell(void *soon, uint64_t cycles) { *(uint64_t *)soon = cycles; }

static run launch(const struct test_case *c, bool exact, int host)
{
    run x = {.wrong = 0};
    char text[4096];
    snprintf(text, sizeof text,
             ".version 6.3\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
             ".reg .pred %%p<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>;\n"
             "ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [out]; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%tid.x;\n"
             "mul.wide.u32 %%rd4, %%r1, 4; add.s64 %%rd5, %%rd2, %%rd4; setp.eq.u32 %%p1, %%r2, 0; "
             "@%%p1 red.global.add.u32 [%%rd5], 1;\n"
             "%s\nmov.u32 %%r5, 0; mov.u32 %%r7, 0;\nLOOP: %s\n%s add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p1, %%r5, %%r4; "
             "@%%p1 bra LOOP;\n"
             "setp.eq.u32 %%p1, %%r7, 12345; @%%p1 st.global.u32 [%%rd1], %%r7; ret;\n}\n",
             c->turns, c->address ? c->address : "",
             c->address ? "add.s64 %rd3, %rd3, %rd1; ld.global.u32 %r8, [%rd3]; add.u32 %r7, %r7, %r8;" : "");
    sim *s;
    sim_module *m;
    sim_error e = {0};
    sim_card of = card;
    of.multiprocessors = (int)c->mps;
    struct {
        uint64_t in, out;
    } p;
    uint32_t *out = calloc(c->blocks, 4);
    if (!out || sim_open(&s, &of, &e) || sim_load(s, "case.ptx", text, strlen(text), &m, &e) ||
        sim_alloc(s, 1 << 24, "in", &p.in, &e) || sim_alloc(s, c->blocks * 4, "out", &p.out, &e) ||
        sim_write(s, p.out, out, c->blocks * 4, &e)) {
        printf("FAIL %s: line %d: %s\n", c->name, e.line, e.message);
        exit(1);
    }
    sim_launch l = {.kernel = "k",
                    .grid = {c->blocks, 1, 1},
                    .block = {64, 1, 1},
                    .params = &p,
                    .param_bytes = sizeof p,
                    .timed = true,
                    .exact = exact,
                    .host_threads = host,
                    .soon = tell,
                    .soon_arg = &x.soon};
    if (sim_run(s, m, &l, &x.r, &e) || x.r.code) {
        printf("FAIL %s: %s\n", c->name, x.r.fault_count ? x.r.faults[0].message : e.message);
        exit(1);
    }
    sim_read(s, p.out, out, c->blocks * 4, &e);
    for (uint32_t i = 0; i < c->blocks; i++) x.wrong += out[i] != 1;
    free(out);
    sim_result_free(&x.r);
    sim_close(s);
    return x;
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct test_case *c = &cases[i];
        run whole = launch(c, true, 1), one = launch(c, false, 1);
        printf("%s: %llu cycles, %llu exactly (%+.2f %%)\n", c->name, (unsigned long long)one.r.cycles,
               (unsigned long long)whole.r.cycles, 100 * ((double)one.r.cycles / (double)whole.r.cycles - 1));
        agrees(!whole.wrong && !one.wrong, c->name, "blocks that did not run once", one.wrong, 0);
        agrees(one.r.usage.sampled == (c->sampled != NO) || c->sampled == EITHER, c->name, "sampled",
               one.r.usage.sampled, c->sampled);
        agrees(fabs((double)one.r.cycles - (double)whole.r.cycles) <= 0.02 * (double)whole.r.cycles, c->name, "cycles",
               (double)one.r.cycles, (double)whole.r.cycles);
        agrees(!whole.soon && !one.soon == (one.r.usage.timed_blocks == c->blocks), c->name,
               "told before all blocks had run", (double)one.soon, (double)one.r.cycles);
        agrees(!one.soon || c->sampled == YES_BUT ||
                   fabs((double)one.soon - (double)one.r.cycles) <= 0.02 * (double)one.r.cycles,
               c->name, "what was told", (double)one.soon, (double)one.r.cycles);
        agrees(one.r.total.warp_instructions == whole.r.total.warp_instructions, c->name, "instructions",
               (double)one.r.total.warp_instructions, (double)whole.r.total.warp_instructions);
        for (int host = 2; host <= 3; host++) {
            run more = launch(c, false, host);
            agrees(!more.wrong, c->name, "blocks that did not run once, several threads", more.wrong, 0);
            agrees(more.r.cycles == one.r.cycles, c->name, "cycles, several threads", (double)more.r.cycles,
                   (double)one.r.cycles);
            agrees(!memcmp(&more.r.total, &one.r.total, sizeof more.r.total), c->name, "counters are the same", 1, 0);
        }
    }
    return check_end();
}
