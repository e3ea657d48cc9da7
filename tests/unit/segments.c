/* segments.c: the transactions of compute 1.2 and 1.3 by the rule of the CUDA programming guide,
 * against bytes and times worked out by hand. On the made-up card DRAM moves 16 bytes per clock. So
 * a transaction of 32, 64 or 128 bytes takes 2, 4 or 8 clocks, after 10 clocks at the port.
 */
#include "sim.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sim_card card = {.name = "segments",
                        .title = "segments",
                        .cc_major = 1,
                        .cc_minor = 3,
                        .multiprocessors = 1,
                        .max_threads_per_block = 512,
                        .max_threads_per_mp = 1024,
                        .max_blocks_per_mp = 8,
                        .max_warps_per_mp = 32,
                        .registers_per_mp = 16384,
                        .max_registers_per_thread = 124,
                        .register_unit = 512,
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
                                   .shared_latency = 36,
                                   .shared_pass = 2,
                                   .port_transaction = 10,
                                   .port_coalesced = 10,
                                   .segments = 1,
                                   .dram_latency = 400,
                                   .dram_bytes = 16,
                                   .partitions = 1,
                                   .partition_bytes = 256,
                                   .address_bits = 32}};

/* Half a warp loads `type` from in + the bytes that `address` leaves in %r5, which is the thread at
 * first. Checks the bytes moved and the time of the load. */
static void load(const char *type, const char *address, double bytes, double clocks, const char *what)
{
    char text[4096], line[120];
    int n = snprintf(
        text, sizeof text,
        ".version 6.3\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .pred %%p<3>; .reg .b16 %%h<3>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .f64 %%d<3>;\n"
        "ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [out]; mov.u32 %%r5, %%tid.x;\n%s\n"
        "cvt.u64.u32 %%rd3, %%r5; add.s64 %%rd4, %%rd1, %%rd3; and.b64 %%rd5, %%rd4, 1;\nmov.u32 %%r2, %%clock;\n"
        "ld.global.%s, [%%rd4];\n"
        "mov.u32 %%r7, %%r6;\nmov.u32 %%r3, %%clock;\nsub.u32 %%r4, %%r3, %%r2; mov.u32 %%r8, %%tid.x; "
        "setp.ne.u32 %%p1, %%r8, 0;\n"
        "@%%p1 bra END;\nst.global.u32 [%%rd2], %%r4;\nst.global.u32 [%%rd2+4], %%r7;\nEND: ret;\n}\n",
        address, type);
    sim *s;
    sim_module *m;
    sim_error e = {0};
    sim_result r;
    uint32_t out = 0;
    struct {
        uint64_t in, out;
    } p;
    if (n < 0 || (size_t)n >= sizeof text || sim_open(&s, &card, &e) ||
        sim_load(s, "case.ptx", text, (size_t)n, &m, &e) || sim_alloc(s, 1 << 16, "in", &p.in, &e) ||
        sim_alloc(s, 1 << 10, "out", &p.out, &e)) {
        printf("FAIL line %d: %s\n", e.line, e.message);
        exit(1);
    }
    sim_launch l = {.kernel = "k",
                    .grid = {1, 1, 1},
                    .block = {16, 1, 1},
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
    snprintf(line, sizeof line, "%s: bytes", what);
    /* lane 0 stores two words: 32 bytes each; by the older rule the first one, in order, takes
     * 64 */
    expect((double)r.usage.dram_bytes - (card.timing.segments ? 32 + 32 : 64 + 32), bytes, line);
    if (clocks > 0) {
        snprintf(line, sizeof line, "%s: clocks", what);
        expect(out, clocks, line);
    }
    sim_result_free(&r);
    sim_close(s);
}

int main(void)
{
    /* The address is ready before the first reading. The load issues 4 clocks after the reading.
     * Then come port, DRAM, and 400 of latency. Then the mov that needs the value issues, and the
     * second reading 4 later. One transaction of 64 bytes: 4 + 10 + 4 + 400 + 4. */
    const double rest = 4 + 400 + 4;
    load("u32 %r6", "shl.b32 %r5, %r5, 2;", 64, rest + 10 + 4, "words in order: 64 bytes");
    load("u32 %r6", "xor.b32 %r5, %r5, 5; shl.b32 %r5, %r5, 2;", 64, rest + 10 + 4,
         "words of a segment in any order: the same");
    load("u32 %r6", "shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, 4;", 128, rest + 10 + 8,
         "one word further: both halves of 128");
    load("u32 %r6", "shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, 124;", 32 + 64, rest + 20 + 4,
         "across a boundary of 128: 32 and 64");
    load("u32 %r6", "shl.b32 %r5, %r5, 3;", 128, rest + 10 + 8, "every second word: 128");
    load("u32 %r6", "shl.b32 %r5, %r5, 7;", 16 * 32, rest + 160 + 2, "each in a segment of its own: 16 of 32");
    load("u32 %r6", "mov.u32 %r5, 96;", 32, rest + 10 + 2, "one word for all: 32");
    load("u8 %r6", "", 32, rest + 10 + 2, "bytes in order: 32");
    load("u8 %r6", "shl.b32 %r5, %r5, 2;", 64, rest + 20 + 2, "bytes 4 apart: segments of 32, two of them");
    load("u16 %r6", "shl.b32 %r5, %r5, 1;", 32, rest + 10 + 2, "halves in order: 64 shrink to 32");
    load("f64 %d1", "shl.b32 %r5, %r5, 3;", 128, 0, "doubles in order: 128");
    load("v4.u32 {%r6, %r9, %r10, %r11}", "shl.b32 %r5, %r5, 4;", 256, 0, "16 bytes a lane: two of 128");
    card.timing.segments = 0;
    load("u32 %r6", "xor.b32 %r5, %r5, 5; shl.b32 %r5, %r5, 2;", 16 * 32, rest + 160 + 2,
         "by the older rule: one for each lane");
    return check_end();
}
