/* schedulers.c: two schedulers of one multiprocessor. One of them runs ahead for as long as the
 * other cannot notice (clock/clock.c). Events that the other can notice still happen in the order
 * of time. Warps 0 and 2 belong to the first scheduler, 1 and 3 to the second. A dependent addition
 * takes 24 clocks. 32 lanes at one bank keep the port of shared memory for 32 passes of 2 clocks. A
 * barrier is seen 100 clocks later.
 */
#include "sim.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ADD = 24, PASSES = 32 * 2, BARRIER = 100 };

static const sim_card small = {.name = "small",
                               .title = "small",
                               .cc_major = 7,
                               .cc_minor = 0,
                               .multiprocessors = 1,
                               .max_threads_per_block = 512,
                               .max_threads_per_mp = 1024,
                               .max_blocks_per_mp = 1,
                               .max_warps_per_mp = 32,
                               .registers_per_mp = 65536,
                               .max_registers_per_thread = 255,
                               .register_unit = 256,
                               .shared_per_block = 32768,
                               .shared_per_mp = 32768,
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
                                          .issue = 4,
                                          .latency = ADD,
                                          .multiply_issue = 4,
                                          .multiply_latency = ADD,
                                          .divide_issue = 100,
                                          .divide_latency = 200,
                                          .special_issue = 16,
                                          .special_latency = 30,
                                          .double_issue = 8,
                                          .double_latency = 48,
                                          .branch_latency = 20,
                                          .barrier_latency = BARRIER,
                                          .shared_latency = 36,
                                          .shared_pass = 3,
                                          .shared_port = 2,
                                          .port_line = 10,
                                          .l1_bytes = 512,
                                          .l1_ways = 4,
                                          .l1_global = 1,
                                          .l1_latency = 40,
                                          .l2_bytes = 8192,
                                          .l2_ways = 64,
                                          .l2_latency = 200,
                                          .l2_rate = 8,
                                          .l2_write = 1,
                                          .l2_slices = 1,
                                          .l2_slice_bytes = 512,
                                          .atomic_latency = 300,
                                          .atomic_sector = 8,
                                          .atomic_swap = 5,
                                          .dram_latency = 600,
                                          .dram_bytes = 16,
                                          .partitions = 1,
                                          .partition_bytes = 256,
                                          .address_bits = 64}};

/* The clocks of warp 0 between its readings, with its `first` between them; the others do `second`
 * to `fourth`, from a barrier on. %r9 is each lane's own word of shared memory, all in one bank.
 * *cycles: of the launch. */
static int64_t time_of(const sim_card *card, unsigned blocks, const char *const warp[4], uint64_t *cycles)
{
    static char text[16384];
    const int n = snprintf(
        text, sizeof text,
        ".version 6.3\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .pred %%p<9>; .reg .b32 %%r<40>; .reg .b64 %%rd<9>; .shared .align 4 .b8 s[16384];\n"
        "ld.param.u64 %%rd1, [out]; mov.u32 %%r1, %%tid.x; mov.u32 %%r8, s; mad.lo.u32 %%r9, %%r1, 128, %%r8;\n"
        "shr.u32 %%r10, %%r1, 5; setp.eq.u32 %%p1, %%r10, 1; setp.eq.u32 %%p2, %%r10, 2; setp.eq.u32 %%p3, %%r10, 3; "
        "bar.sync 0;\n"
        "@%%p1 bra SECOND; @%%p2 bra THIRD; @%%p3 bra FOURTH;\n"
        "mov.u32 %%r2, %%clock;\n%s\nadd.u32 %%r7, %%r9, 1;\nmov.u32 %%r3, %%clock; sub.u32 %%r4, %%r3, %%r2; "
        "bra END;\n"
        "SECOND: %s\nbra END;\nTHIRD: %s\nbra END;\nFOURTH: %s\n"
        "END: setp.ne.u32 %%p4, %%r1, 0; @%%p4 bra OVER; st.global.u32 [%%rd1], %%r4; st.global.u32 [%%rd1+4], %%r7;\n"
        "OVER: ret;\n}\n",
        warp[0], warp[1], warp[2], warp[3]);
    sim *s;
    sim_module *m;
    sim_error e = {0};
    sim_result r;
    uint64_t out = 0;
    uint32_t took = 0;
    if (n < 0 || (size_t)n >= sizeof text || sim_open(&s, card, &e) ||
        sim_load(s, "case.ptx", text, (size_t)n, &m, &e) || sim_alloc(s, 1 << 10, "out", &out, &e)) {
        printf("FAIL line %d: %s\n", e.line, e.message);
        exit(1);
    }
    const sim_launch l = {.kernel = "k",
                          .grid = {blocks, 1, 1},
                          .block = {128, 1, 1},
                          .params = &out,
                          .param_bytes = 8,
                          .timed = true,
                          .exact = true,
                          .host_threads = 1};
    if (sim_run(s, m, &l, &r, &e) || r.code || sim_read(s, out, &took, sizeof took, &e)) {
        printf("FAIL %s\n", e.message);
        exit(1);
    }
    *cycles = r.cycles;
    sim_result_free(&r);
    sim_close(s);
    return took;
}

/* A chain of dependent additions that ends in an address; then what is done there. */
static const char *after(int additions, const char *what)
{
    static char text[4][2048];
    static int next;
    char *t = text[next++ % 4];
    t[0] = 0;
    for (int i = 0; i < additions; i++) strcat(t, "add.u32 %r9, %r9, %r11; ");
    return strcat(t, what);
}

#define LOAD "ld.shared.u32 %r12, [%r9]; and.b32 %r12, %r12, 0; add.u32 %r9, %r9, %r12; "
#define MEET "bar.sync 1, 64;"
#define WORK after(40, "")

/* Warp 0 loads after eight additions, warp 1 after none, one, two ...: the first to load gets the
 * port. So the closer warp 1 loads before warp 0, the longer warp 0 waits, in steps of one addition
 * and at most for the passes. When warp 1 loads later, warp 0 does not wait. */
static void loads_in_order(void)
{
    enum { MOST = 16 };
    uint64_t cycles;
    int64_t wait[MOST];
    const char *const alone[4] = {after(8, LOAD), "", "", ""};
    const int64_t own = time_of(&small, 1, alone, &cycles);
    for (int k = 0; k < MOST; k++) {
        const char *const both[4] = {after(8, LOAD), after(k, LOAD), "", ""};
        wait[k] = time_of(&small, 1, both, &cycles) - own;
    }
    int first = 0, behind;
    while (first < MOST && !wait[first]) first++;
    for (behind = first; behind < MOST && wait[behind]; behind++)
        check(wait[behind] <= PASSES && (behind == first || wait[behind] == wait[behind - 1] + ADD),
              "who loads later waits for the port");
    check(behind - first == PASSES / ADD, "for as long as the other one has it");
    bool never = true;
    for (int k = behind; k < MOST; k++) never = never && !wait[k];
    check(behind < MOST && never, "who loads sooner does not");
}

/* Warp 0 waits at a barrier for warp 1, which comes later each time. The others only compute. */
static void barriers_in_order(void)
{
    uint64_t cycles;
    int64_t before = 0;
    for (int k = 4; k < 12; k++) {
        const char *const warps[4] = {MEET, after(k, MEET), WORK, WORK};
        const int64_t took = time_of(&small, 1, warps, &cycles);
        if (k > 4)
            check(took == before + ADD,
                  "a barrier is over an addition later when the last warp comes an addition later");
        before = took;
    }
}

/* Two settings. With no time between two blocks, a scheduler that may get a new block takes turns
 * with the others, issue by issue; with more than a barrier's time between blocks, each scheduler
 * runs ahead by itself. The blocks must take the same time. */
static void blocks_take_the_same(const char *const warp[4], unsigned at_once, unsigned blocks, unsigned turns,
                                 const char *what)
{
    enum { TURN = 5 * ADD };
    sim_card card = small;
    uint64_t one_by_one, each_by_itself;
    card.max_blocks_per_mp = (int)at_once;
    card.timing.block_turn = 0;
    time_of(&card, blocks, warp, &one_by_one);
    card.timing.block_turn = TURN;
    time_of(&card, blocks, warp, &each_by_itself);
    check(each_by_itself - one_by_one == turns * TURN, what);
}

/* Block 0 does only `few` additions. */
static const char *except_first(int few, char *to, size_t room, char label)
{
    snprintf(to, room, "mov.u32 %%r13, %%ctaid.x; setp.eq.u32 %%p5, %%r13, 0; @%%p5 bra FEW%c; %s bra END; FEW%c: %s",
             label, after(40, ""), label, after(few, ""));
    return to;
}

static void blocks_in_order(void)
{
    static char text[4][4096];
    const char *const mixed[4] = {after(5, LOAD MEET LOAD), after(3, LOAD LOAD MEET), after(2, LOAD), WORK};
    blocks_take_the_same(mixed, 1, 5, 4, "blocks take as long however far schedulers go on by themselves");

    /* Two blocks at once: the first block ends with its last warp, while another block computes;
     * the third block begins in its place. */
    for (int k = 1; k < 10; k++) {
        const char *const uneven[4] = {
            except_first(0, text[0], sizeof text[0], 'A'), except_first(0, text[1], sizeof text[1], 'B'),
            except_first(5, text[2], sizeof text[2], 'C'), except_first(k, text[3], sizeof text[3], 'D')};
        blocks_take_the_same(uneven, 2, 3, 1, "one that begins beside another does so when it should");
    }
}

int main(void)
{
    loads_in_order();
    barriers_in_order();
    blocks_in_order();
    return check_end();
}
