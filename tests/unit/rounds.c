/* rounds.c: small loops run many rounds at once (code/find_loops.c), and several loads of shared
 * memory by one register check its addresses once (code/shared_tile.c). The check for races turns
 * both off. So every kernel here runs both ways: what it stores, every counter, and where and how
 * it faults must be the same. Each case also states the expected result, as a stored word or a
 * fault's address.
 *
 * A lane has %rd1, the words of `in`, where word k is k * k; %r1, the lane; %rd9, where to store
 * one word; `part`, 64 words of shared memory where word k is 3 * k; %p1, true for lane 7 only. Its
 * result goes to %r30.
 */
#include "kernel.h"

enum { WORDS = BYTES / 4, PART = 64 };

static const char kernel_head[] =
    ".version 8.3\n.target sm_90\n.address_size 64\n"
    ".func (.param .b32 sum) column(.param .b64 from, .param .b32 rounds)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<3>; "
    ".reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [from]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0;\n"
    "AGAIN: ld.global.u32 %r3, [%rd1]; add.s32 %r2, %r2, %r3; add.s64 %rd1, %rd1, 64; add.s32 %r1, %r1, -1; "
    "setp.ne.s32 %p1, %r1, 0; @%p1 bra AGAIN;\n"
    "st.param.b32 [sum], %r2; ret;\n}\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .shared .align 16 .b32 part[64];\n"
    "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd8, %r1, 4; add.u64 %rd9, "
    "%rd2, %rd8;\n"
    "mov.u32 %r20, part; shl.b32 %r21, %r1, 2; add.s32 %r22, %r20, %r21; mul.lo.u32 %r23, %r1, 3; "
    "st.shared.u32 [%r22], %r23;\n"
    "setp.eq.u32 %p1, %r1, 7; mov.u32 %r30, 0; mov.u32 %r29, 0;\n";
static const char kernel_tail[] = "OUT: st.global.u32 [%rd9], %r30;\nret;\n}\n";
/* Writes both halves of `part`; without it the upper half stays unwritten. */
#define PART_WRITTEN "add.s32 %r24, %r23, 96; st.shared.u32 [%r22+128], %r24; bar.sync 0;\n"
#define LANE_OF_IN   "add.s64 %rd10, %rd1, %rd8;\n" /* %rd10: its own word */
#define COUNT(n)     "add.s32 %r29, %r29, 1; setp.lt.s32 %p2, %r29, " #n "; @%p2 bra LOOP;\n"

typedef struct outcome {
    int code;
    uint32_t word[32];
    sim_counters counts;
    sim_fault fault;
} outcome;

static bool run_way(bench *b, const char *body, uint32_t written, bool races, outcome *o)
{
    static char ptx[16384];
    uint32_t in[WORDS], zeros[WORDS] = {0};
    struct {
        uint64_t in, out;
    } params;
    sim_module *m = NULL;
    sim_result r = {0};
    memset(o, 0, sizeof *o);
    for (uint32_t k = 0; k < WORDS; k++) in[k] = k * k;
    const int n = snprintf(ptx, sizeof ptx, "%s%s%s", kernel_head, body, kernel_tail);
    if (n < 0 || (size_t)n >= sizeof ptx || sim_alloc(b->s, BYTES, "in", &params.in, &b->e) ||
        sim_alloc(b->s, BYTES, "out", &params.out, &b->e))
        return false;
    sim_write(b->s, params.in, in, 4 * (uint64_t)written, &b->e);
    sim_write(b->s, params.out, zeros, BYTES, &b->e);
    bool good = !sim_load(b->s, "rounds.ptx", ptx, (size_t)n, &m, &b->e);
    if (good) {
        sim_launch l = {.kernel = "k",
                        .grid = {1, 1, 1},
                        .block = {32, 1, 1},
                        .params = &params,
                        .param_bytes = sizeof params,
                        .host_threads = 1,
                        .checks = SIM_CHECK_INIT | (races ? SIM_CHECK_RACE : 0),
                        .counts = SIM_COUNT_MEMORY,
                        .max_instructions = 200000};
        o->code = sim_run(b->s, m, &l, &r, &b->e);
        if (!o->code) o->code = r.code;
        o->counts = r.total;
        if (r.fault_count) o->fault = r.faults[0];
        o->fault.address -= !strcmp(o->fault.space ? o->fault.space : "", "global") ? params.in : 0;
        o->fault.space = NULL;
        o->fault.at.file = o->fault.at.kernel = o->fault.other.file = o->fault.other.kernel = NULL;
        o->fault.message[strcspn(o->fault.message, "0")] = 0; /* addresses differ */
        good = !sim_read(b->s, params.out, o->word, sizeof o->word, &b->e);
    } else {
        printf("# %d: %s\n", b->e.line, b->e.message);
    }
    sim_result_free(&r);
    if (m) sim_unload(b->s, m);
    sim_free(b->s, params.in, &b->e);
    sim_free(b->s, params.out, &b->e);
    return good;
}

/* Runs both ways, which must agree. *is: the outcome of the quick way. */
static bool both(bench *b, const char *name, const char *body, uint32_t written, outcome *is)
{
    outcome slow;
    int n;
    bool good = run_way(b, body, written, false, is) && run_way(b, body, written, true, &slow);
    const sim_counter_info *info = sim_counter_infos(&n);
    for (int i = 0; good && i < n; i++)
        if (memcmp((char *)&is->counts + info[i].offset, (char *)&slow.counts + info[i].offset, 8)) {
            printf("# %s differs\n", info[i].id);
            good = false;
        }
    const sim_fault *f = &is->fault, *g = &slow.fault;
    good = good && is->code == slow.code && !memcmp(is->word, slow.word, sizeof slow.word);
    if (f->kind != g->kind || f->address != g->address || strcmp(f->message, g->message))
        printf("# %s at %llu, size %u line %d: %s; watched for: %s at %llu size %u line %d: %s\n",
               sim_fault_name(f->kind), (unsigned long long)f->address, f->size, f->at.ptx_line, f->message,
               sim_fault_name(g->kind), (unsigned long long)g->address, g->size, g->at.ptx_line, g->message);
    good = good && f->kind == g->kind && f->address == g->address && f->size == g->size &&
           f->at.ptx_line == g->at.ptx_line && !strcmp(f->message, g->message);
    check_that(good, "%s: the same when races are watched for", name);
    return good;
}

/* Lane 3 stores `want`, and lane 7 `seven`. */
static void ends_with(bench *b, const char *name, const char *body, uint32_t want, uint32_t seven)
{
    outcome o;
    if (!both(b, name, body, WORDS, &o)) return;
    check_that(!o.code && o.word[3] == want && o.word[7] == seven, "%s: %u and %u, as it should (%u and %u; code %d)",
               name, o.word[3], o.word[7], want, seven, o.code);
}

/* Faults at `address`: in shared memory, or counted from the start of `in`. An unknown value gets a
 * remark when it is stored at the end. */
static void fails_at(bench *b, const char *name, const char *body, uint32_t written, enum sim_fault_kind kind,
                     int64_t address)
{
    outcome o;
    if (!both(b, name, body, written, &o)) return;
    check_that(o.fault.kind == kind && (int64_t)o.fault.address == address, "%s: %s at %lld, as it should (%lld)", name,
               sim_fault_name(o.fault.kind), (long long)o.fault.address, (long long)address);
}

/* The sum of the squares of from, from + step ... */
static uint32_t squares(uint32_t from, uint32_t step, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < count; k++) sum += (from + k * step) * (from + k * step);
    return sum;
}

static void test_loads(bench *b)
{
    const uint32_t lane3 = squares(3, 9, 100), lane7 = squares(7, 9, 100);
    ends_with(b, "neighbours, 36 bytes further each round",
              LANE_OF_IN
              "LOOP: ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, %r2; add.s64 %rd10, %rd10, 36;\n" COUNT(100),
              lane3, lane7);
    ends_with(b, "the step before the load",
              LANE_OF_IN
              "LOOP: add.s64 %rd10, %rd10, 36; ld.global.u32 %r2, [%rd10-36]; add.s32 %r30, %r30, %r2;\n" COUNT(100),
              lane3, lane7);
    ends_with(b, "downwards",
              LANE_OF_IN
              "LOOP: ld.global.u32 %r2, [%rd10+3564]; add.s32 %r30, %r30, %r2; add.s64 %rd10, %rd10, -36;\n" COUNT(100),
              lane3, lane7);
    ends_with(b, "all lanes at one word",
              "mov.u64 %rd10, %rd1; LOOP: ld.global.u32 %r2, [%rd10+12]; add.s32 %r30, %r30, %r2; "
              "add.s64 %rd10, %rd10, 36;\n" COUNT(100),
              lane3, lane3);
    ends_with(
        b, "words of 8 bytes",
        "mul.wide.u32 %rd11, %r1, 8; add.s64 %rd10, %rd1, %rd11; LOOP: ld.global.u64 %rd12, [%rd10]; cvt.u32.u64 %r2, "
        "%rd12; add.s32 %r30, %r30, %r2;"
        "add.s64 %rd10, %rd10, 40;\n" COUNT(90),
        squares(6, 10, 90), squares(14, 10, 90));
    ends_with(b, "shared memory",
              PART_WRITTEN
              "LOOP: ld.shared.u32 %r2, [%r22]; add.s32 %r30, %r30, %r2; add.s32 %r22, %r22, 4;\n" COUNT(30),
              3 * (30 * 3 + 435), 3 * (30 * 7 + 435));
    ends_with(b, "a step that differs by lane",
              "mov.u64 %rd10, %rd1; LOOP: ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, %r2; "
              "add.s64 %rd10, %rd10, %rd8;\n" COUNT(30),
              squares(0, 3, 30), squares(0, 7, 30));
    ends_with(b, "a step that differs in one lane",
              LANE_OF_IN
              "mov.u64 %rd11, 36; @%p1 mov.u64 %rd11, 8; LOOP: ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, %r2; "
              "add.s64 %rd10, %rd10, %rd11;\n" COUNT(100),
              lane3, squares(7, 2, 100));
    ends_with(b, "a base that one lane has changed",
              LANE_OF_IN
              "@%p1 add.s64 %rd10, %rd10, 4; LOOP: ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, %r2; add.s64 %rd10, "
              "%rd10, 36;\n" COUNT(100),
              lane3, squares(8, 9, 100));
    ends_with(b, "a base that one lane changes in each round",
              LANE_OF_IN
              "LOOP: ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, %r2; @!%p1 add.s64 %rd10, %rd10, 36;\n" COUNT(100),
              lane3, 100 * 49);
    ends_with(b, "a base that a branch changes in one lane, in each round",
              LANE_OF_IN "LOOP: ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, %r2; @%p1 bra OVER; "
                         "add.s64 %rd10, %rd10, 36; OVER:\n" COUNT(100),
              lane3, 100 * 49);
    ends_with(
        b, "an address that is also a number",
        LANE_OF_IN
        "LOOP: ld.global.u32 %r2, [%rd10]; sub.s64 %rd11, %rd10, %rd1; cvt.u32.u64 %r3, %rd11; add.s32 %r30, %r30, "
        "%r3; add.s64 %rd10, %rd10, 36;\n" COUNT(100),
        100 * 12 + 36 * 4950, 100 * 28 + 36 * 4950);
    ends_with(b, "the steps as they are behind the loop",
              LANE_OF_IN "LOOP: ld.global.u32 %r2, [%rd10]; add.s64 %rd10, %rd10, 36;\n" COUNT(
                  100) "sub.s64 %rd11, %rd10, %rd1; cvt.u32.u64 %r30, %rd11; add.s32 %r30, %r30, %r29;\n",
              12 + 3600 + 100, 28 + 3600 + 100);
    ends_with(
        b, "an address that is loaded",
        "add.s64 %rd10, %rd9, %rd8; add.s64 %rd10, %rd10, 1024; st.global.u64 [%rd10], %rd10; mov.u64 %rd13, %rd10;\n"
        "LOOP: ld.global.u64 %rd10, [%rd10];\n" COUNT(
            50) "sub.s64 %rd11, %rd10, %rd13; cvt.u32.u64 %r30, %rd11; add.s32 %r30, %r30, %r29;\n",
        50, 50);
    ends_with(
        b, "a base that is changed twice in each round",
        LANE_OF_IN
        "LOOP: ld.global.u32 %r2, [%rd10]; add.s64 %rd10, %rd10, 16; add.s32 %r30, %r30, %r2; add.s64 %rd10, %rd10, "
        "20;\n" COUNT(100),
        lane3, lane7);
    ends_with(b, "a step that grows",
              LANE_OF_IN "mov.u64 %rd11, 0; LOOP: add.s64 %rd11, %rd11, 4; ld.global.u32 %r2, [%rd10]; "
                         "add.s64 %rd10, %rd10, %rd11;\n" COUNT(40) "mov.u32 %r30, %r2;\n",
              783 * 783, 787 * 787);
    ends_with(
        b, "a base made anew in each round",
        "mov.u32 %r4, %r1; LOOP: mul.wide.u32 %rd11, %r4, 4; add.s64 %rd10, %rd1, %rd11; ld.global.u32 %r2, [%rd10]; "
        "add.s32 %r30, %r30, %r2; add.s32 %r4, %r4, 9;\n" COUNT(100),
        lane3, lane7);
    ends_with(
        b, "a condition that somebody else looks at",
        LANE_OF_IN
        "setp.eq.u32 %p2, %r1, 32; LOOP: selp.u32 %r3, 3, 5, %p2; ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, "
        "%r3;\n" COUNT(100),
        302, 302);
    ends_with(
        b, "a lane that is not there keeps what it has, though it could be one of them",
        LANE_OF_IN
        "mov.u32 %r2, 5; mov.u64 %rd11, %rd10; @%p1 add.s64 %rd10, %rd10, 36; @%p1 mov.u32 %r29, 1; @%p1 bra OVER; "
        "LOOP: ld.global.u32 %r2, [%rd10]; add.s64 %rd10, %rd10, 36;\n" COUNT(
            100) "OVER: sub.s64 %rd11, %rd10, %rd11; cvt.u32.u64 %r30, %rd11; add.s32 %r30, %r30, %r2; add.s32 %r30, "
                 "%r30, %r29;\n",
        3600 + 894 * 894 + 100, 36 + 5 + 1);
    ends_with(b, "as many instructions as it has",
              LANE_OF_IN "mov.u32 %r26, %clock; LOOP: ld.global.u32 %r2, [%rd10]; add.s64 %rd10, %rd10, 36;\n" COUNT(
                  100) "mov.u32 %r27, %clock; sub.u32 %r30, %r27, %r26;\n",
              504, 504); /* 100 rounds of 5, and the first block's end */
    ends_with(b, "a loop in a function, called twice",
              "{ .param .b64 a; .param .b32 n; .param .b32 s; st.param.b64 [a], %rd1; st.param.b32 [n], 20; call (s), "
              "column, (a, n); ld.param.b32 %r30, [s]; }\n" LANE_OF_IN
              "{ .param .b64 a; .param .b32 n; .param .b32 s; st.param.b64 [a], %rd10; st.param.b32 [n], 30; call (s), "
              "column, (a, n); ld.param.b32 %r2, [s]; }\n"
              "add.s32 %r30, %r30, %r2;\n",
              squares(0, 16, 20) + squares(3, 16, 30), squares(0, 16, 20) + squares(7, 16, 30));
}

static void test_faults(bench *b)
{
    static const char column[] =
        LANE_OF_IN "LOOP: ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, %r2; add.s64 %rd10, %rd10, 64;\n" COUNT(100);
    fails_at(b, "the 64th round's upper half leaves `in`", column, WORDS, SIM_FAULT_OUT_OF_BOUNDS, BYTES);
    fails_at(b, "the 50th round reads a word that nobody wrote",
             LANE_OF_IN
             "LOOP: ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, %r2; add.s64 %rd10, %rd10, 64;\n" COUNT(50),
             49 * 16 + 20, SIM_FAULT_UNINITIALISED, 4 * (49 * 16 + 20));
    fails_at(b, "words far apart that nobody wrote",
             LANE_OF_IN
             "LOOP: ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, %r2; add.s64 %rd10, %rd10, 256;\n" COUNT(15),
             640, SIM_FAULT_UNINITIALISED, 2560);
    fails_at(b, "below the start of `in`",
             LANE_OF_IN
             "LOOP: ld.global.u32 %r2, [%rd10+2048]; add.s32 %r30, %r30, %r2; add.s64 %rd10, %rd10, -64;\n" COUNT(100),
             WORDS, SIM_FAULT_OUT_OF_BOUNDS, -64);
    fails_at(b, "not aligned in the second round",
             LANE_OF_IN
             "LOOP: ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, %r2; add.s64 %rd10, %rd10, 2;\n" COUNT(100),
             WORDS, SIM_FAULT_MISALIGNED, 2);
    fails_at(b, "not aligned in the second round, the step before the load",
             LANE_OF_IN
             "add.s64 %rd10, %rd10, -2; LOOP: add.s64 %rd10, %rd10, 2; ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, "
             "%r2;\n" COUNT(100),
             WORDS, SIM_FAULT_MISALIGNED, 2);
    fails_at(
        b, "a step that goes all round the addresses",
        LANE_OF_IN
        "LOOP: ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, %r2; add.s64 %rd10, %rd10, 0x4000000000000000;\n" COUNT(
            100),
        WORDS, SIM_FAULT_OUT_OF_BOUNDS, 0x4000000000000000);
    fails_at(b, "past the end of shared memory",
             PART_WRITTEN
             "LOOP: ld.shared.u32 %r2, [%r22]; add.s32 %r30, %r30, %r2; add.s32 %r22, %r22, 4;\n" COUNT(100),
             WORDS, SIM_FAULT_OUT_OF_BOUNDS, 4 * PART);
    fails_at(b, "below the start of shared memory: 32 bits that wrap",
             PART_WRITTEN
             "LOOP: ld.shared.u32 %r2, [%r20+64]; add.s32 %r30, %r30, %r2; add.s32 %r20, %r20, -4;\n" COUNT(100),
             WORDS, SIM_FAULT_OUT_OF_BOUNDS, 0xfffffffc);
    fails_at(b, "shared memory that nobody wrote",
             "bar.sync 0; LOOP: ld.shared.u32 %r2, [%r20]; add.s32 %r30, %r30, %r2; add.s32 %r20, %r20, 4;\n" COUNT(33),
             WORDS, SIM_FAULT_UNINITIALISED, 128);
    ends_with(b, "a register of 32 bits that wraps, of an address that does not",
              PART_WRITTEN "add.s32 %r22, %r22, -60; LOOP: ld.shared.u32 %r2, [%r22+60]; add.s32 %r30, %r30, %r2; "
                           "add.s32 %r22, %r22, 4;\n" COUNT(30),
              3 * (90 + 435), 3 * (210 + 435));
}

/* Loops that end in every way that a test can be written; each counts its rounds. */
static void test_ends(bench *b)
{
    // clang-format off
    static const struct { const char *start, *step, *test; uint32_t rounds; bool inverse; } rows[] = {
        {"mov.u32 %r5, 0;", "add.s32 %r5, %r5, 3;", "setp.lt.s32 %p2, %r5, 100;", 34, false},
        {"mov.u32 %r5, 0;", "add.s32 %r5, %r5, 3;", "setp.le.s32 %p2, %r5, 99;", 34, false},
        {"mov.u32 %r5, 0;", "add.s32 %r5, %r5, 3;", "setp.ne.s32 %p2, %r5, 99;", 33, false},
        {"mov.u32 %r5, 0;", "add.s32 %r5, %r5, 3;", "setp.gt.s32 %p2, 100, %r5;", 34, false},
        {"mov.u32 %r5, 90;", "add.s32 %r5, %r5, -2;", "setp.gt.s32 %p2, %r5, 10;", 40, false},
        {"mov.u32 %r5, 90;", "add.s32 %r5, %r5, -2;", "setp.ge.s32 %p2, %r5, 10;", 41, false},
        {"mov.u32 %r5, 90;", "add.u32 %r5, %r5, -2;", "setp.hi.u32 %p2, %r5, 0;", 45, false},
        {"mov.u32 %r5, 90;", "add.u32 %r5, %r5, -1;", "setp.lo.u32 %p2, %r5, 100;", 91, false}, /* wraps below 0 */
        {"mov.u32 %r5, 0xffffffc0;", "add.u32 %r5, %r5, 1;", "setp.hi.u32 %p2, %r5, 9;", 64, false},
        {"mov.u32 %r5, 2147483600;", "add.s32 %r5, %r5, 1;", "setp.gt.s32 %p2, %r5, 0;", 48, false},
        {"mov.u32 %r5, 0;", "add.s32 %r5, %r5, 3;", "setp.ge.s32 %p2, %r5, 100;", 34, true},
        {"mov.u32 %r5, 90;", "add.s32 %r5, %r5, -2;", "setp.lt.s32 %p2, %r5, 10;", 41, true},
        {"mov.u32 %r5, 0;", "add.s32 %r5, %r5, 3;", "setp.eq.s32 %p2, %r5, 99;", 33, true},
        {"mov.u64 %rd5, 0;", "add.s64 %rd5, %rd5, 5;", "setp.lt.s64 %p2, %rd5, 200;", 40, false},
        {"mov.u64 %rd5, 9223372036854775000;", "add.s64 %rd5, %rd5, 5;", "setp.gt.s64 %p2, %rd5, 0;", 162, false},
        {"mov.u64 %rd5, 0xfffffffffffffff0;", "add.u64 %rd5, %rd5, 1;", "setp.gt.u64 %p2, %rd5, 5;", 16, false},
        {"mov.u32 %r5, 0; mov.u32 %r6, 50;", "add.s32 %r5, %r5, 3; add.s32 %r6, %r6, 1;", "setp.lt.s32 %p2, %r5, %r6;",
         25, false},
        /* lane 3's result; each lane has its own limit */
        {"mov.u32 %r5, 0; add.s32 %r6, %r1, 20;", "add.s32 %r5, %r5, 1;", "setp.lt.s32 %p2, %r5, %r6;", 23, false},
    };
    // clang-format on
    static const char load[] = "ld.global.u32 %r2, [%rd10]; add.s32 %r30, %r30, 1; add.s64 %rd10, %rd10, 4; ";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static char body[2][2048], name[200];
        const char *not = rows[i].inverse ? "!" : "";
        const uint32_t rounds = rows[i].rounds, seven = strstr(rows[i].start, "%r1,") ? rounds + 4 : rounds;
        snprintf(body[0], sizeof body[0], "%s%s\nLOOP: %s%s %s @%s%%p2 bra LOOP;\n", LANE_OF_IN, rows[i].start, load,
                 rows[i].step, rows[i].test, not );
        /* the step comes after the test: one round more */
        snprintf(body[1], sizeof body[1], "%s%s\nLOOP: %s%s %s @%s%%p2 bra LOOP;\n", LANE_OF_IN, rows[i].start, load,
                 rows[i].test, rows[i].step, not );
        snprintf(name, sizeof name, "%s %s", rows[i].step, rows[i].test);
        ends_with(b, name, body[0], rounds, seven);
        ends_with(b, name, body[1], rounds + 1, seven + 1);
    }
    outcome o;
    both(b, "a loop that never ends",
         "LOOP: add.s32 %r30, %r30, 1; add.s32 %r5, %r5, 2; setp.ne.s32 %p2, %r5, 9; @%p2 bra LOOP;\n", WORDS, &o);
    check_that(o.fault.kind == SIM_FAULT_ENDLESS, "a loop that never ends is found to be one (%s)",
               sim_fault_name(o.fault.kind));
}

/* Six loads by %r22 (or by the register that `base` computes), with `between` after the third. */
static const char *six(const char *base, const char *between, int last)
{
    static char body[4096];
    int n = snprintf(body, sizeof body, "%s\n", base);
    for (int k = 0; k < 6; k++)
        n += snprintf(body + n, sizeof body - (size_t)n,
                      "%s ld.shared.u32 %%r%d, [%%r22+%d]; add.s32 %%r30, %%r30, %%r%d;\n", k == 3 ? between : "",
                      2 + k, k == 5 ? last : 4 * k, 2 + k);
    return body;
}

static void test_views(bench *b)
{
    const uint32_t three = 3 * (18 + 15), seven = 3 * (42 + 15); /* words 3 to 8, 7 to 12 */
    ends_with(b, "six loads by one register", six(PART_WRITTEN, "", 20), three, seven);
    ends_with(b, "all lanes at one word", six(PART_WRITTEN "mov.u32 %r22, %r20;", "", 20), 45, 45);
    ends_with(b, "two lanes at each word",
              six(PART_WRITTEN "and.b32 %r22, %r21, 0xf8; add.s32 %r22, %r22, %r20;", "", 20), 3 * (12 + 15),
              3 * (36 + 15));
    ends_with(b, "halves 16 words apart, each at one word",
              six(PART_WRITTEN "and.b32 %r22, %r21, 64; add.s32 %r22, %r22, %r20;", "", 20), 45, 45);
    ends_with(b, "halves 32 words apart, each at one word: two passes",
              six(PART_WRITTEN "and.b32 %r22, %r21, 64; shl.b32 %r22, %r22, 1; add.s32 %r22, %r22, %r20;", "", 20), 45,
              45);
    ends_with(b, "the register is changed between them", six(PART_WRITTEN, "add.s32 %r22, %r22, 32;", 20),
              three + 3 * 24, seven + 3 * 24);
    ends_with(b, "one lane changes it between them", six(PART_WRITTEN, "@%p1 add.s32 %r22, %r22, 32;", 20), three,
              seven + 3 * 24);
    ends_with(b, "a load changes it between them",
              six(PART_WRITTEN "st.shared.u32 [%r22+128], %r20; bar.sync 0;\n", "ld.shared.u32 %r22, [%r22+128];", 20),
              3 * (9 + 3) + 3 * 12, 3 * (21 + 3) + 3 * 12);
    ends_with(b, "one lane comes with another register", six(PART_WRITTEN "@%p1 mov.u32 %r22, %r20;", "", 20), three,
              45);
    ends_with(b, "one lane is not there", six(PART_WRITTEN "@%p1 bra OUT;", "", 20), three, 0);
    fails_at(b, "the last one leaves the array", six(PART_WRITTEN, "", 4 * 33), WORDS, SIM_FAULT_OUT_OF_BOUNDS,
             4 * PART);
    fails_at(b, "the last one reads what nobody wrote", six("bar.sync 0; mov.u32 %r22, %r20;", "", 128), WORDS,
             SIM_FAULT_UNINITIALISED, 128);
    fails_at(b, "the last one is below the array", six(PART_WRITTEN, "", -4), WORDS, SIM_FAULT_OUT_OF_BOUNDS,
             0xfffffffc);
    ends_with(b, "a lane that is not there keeps what it has",
              "mov.u32 %r2, 500; mov.u32 %r5, 50; mov.u32 %r7, 5; " PART_WRITTEN
              "@%p1 bra OVER; ld.shared.u32 %r2, [%r22]; ld.shared.u32 %r5, [%r22+4]; ld.shared.u32 %r7, [%r22+8];\n"
              "OVER: add.s32 %r30, %r2, %r5; add.s32 %r30, %r30, %r7;\n",
              3 * 12, 555);
    static char loop[4096];
    /* %p1 is lane 7 */
    snprintf(loop, sizeof loop, "%s%s", six(PART_WRITTEN "LOOP:", "", 20),
             "add.s32 %r22, %r22, 4; @%p1 add.s32 %r22, %r22, -4;\n" COUNT(10));
    ends_with(b, "in a loop, in which lane 7 stays where it is", loop, 10 * three + 3 * 6 * 45, 10 * seven);
    snprintf(loop, sizeof loop, "%s%s", six(PART_WRITTEN "LOOP:", "", 20),
             "@%p1 bra OUT; add.s32 %r22, %r22, 4;\n" COUNT(10));
    ends_with(b, "in a loop that lane 7 leaves after one round", loop, 10 * three + 3 * 6 * 45, seven);
}

/* Random loops: where lanes begin, the step per round, which bytes, how many rounds. */
static void test_drawn(bench *b)
{
    /* adjacent lanes, all at one address, halves apart, each half at one address */
    static const char *const lanes[] = {"%rd8", "0", "%rd14", "%rd15"};
    for (int k = 0; k < 60; k++) {
        static char body[2048], name[100];
        const int bytes = rnd() % 3 ? 4 : 8, wide = rnd() & 1, step = ((int)(rnd() % 64) - 16) * 4 * (bytes / 4),
                  rounds = 4 + (int)(rnd() % 90), off = (int)(rnd() % 64) * bytes;
        const char *lane = lanes[rnd() % 4], *to = bytes == 4 ? "%r2" : "%rd12";
        snprintf(
            body, sizeof body,
            "and.b64 %%rd14, %%rd8, 60; and.b64 %%rd15, %%rd8, 64; shl.b64 %%rd15, %%rd15, %d; add.s64 %%rd14, %%rd14, "
            "%%rd15; mov.u64 %%rd16, %s; mul.lo.u64 %%rd16, %%rd16, %d;\n"
            "add.s64 %%rd10, %%rd1, %%rd16; add.s64 %%rd10, %%rd10, 1024; mov.u64 %%rd12, 0; mov.u32 %%r2, 0; "
            "mov.u64 %%rd17, %d;\n"
            "LOOP: %s ld.global.u%d %s, [%%rd10+%d]; %s cvt.u32.u64 %%r3, %%rd12; add.s32 %%r30, %%r30, %%r3; "
            "xor.b32 %%r30, %%r30, %%r2;\n"
            "add.s32 %%r29, %%r29, 1; setp.lt.s32 %%p2, %%r29, %d; @%%p2 bra LOOP;\n",
            wide, lane, bytes / 4, step, rnd() & 1 ? "add.s64 %rd10, %rd10, %rd17;" : "", 8 * bytes, to, off,
            k & 1 ? "" : "add.s32 %r28, %r28, %r29;", rounds);
        snprintf(name, sizeof name, "drawn loop %d: %s, %d bytes, %d further each round", k, lane, bytes, step);
        outcome o;
        both(b, name, body, rnd() % 4 ? WORDS : WORDS - 64, &o);
    }
}

/* Each block adds up what all have stored so far, and stores one number more: 1, 2, 4 ... Host
 * threads that run blocks in parallel must notice that these read what others store. */
static void test_threads(bench *b)
{
    static const char ptx[] =
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd2, %r1, 4; "
        "add.s64 %rd3, %rd1, %rd2; mov.u32 %r3, 20000; mov.u32 %r4, 1;\n"
        "WAIT: sub.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra WAIT;\n"
        "mul.wide.u32 %rd4, %r2, 128; add.s64 %rd4, %rd3, %rd4;\n"
        "LOOP: ld.global.u32 %r5, [%rd3]; add.s32 %r4, %r4, %r5; add.s64 %rd3, %rd3, 128; add.s32 %r3, %r3, 1; "
        "setp.lt.s32 %p1, %r3, 40; @%p1 bra LOOP;\n"
        "st.global.u32 [%rd4], %r4; ret;\n}\n";
    /* ten rows more than there are blocks: the rounds that matter are neither first nor last */
    uint32_t is[40 * 32] = {0};
    uint64_t out = 0;
    sim_module *m = NULL;
    sim_result r = {0};
    bool good = !sim_alloc(b->s, sizeof is, "out", &out, &b->e) && !sim_write(b->s, out, is, sizeof is, &b->e) &&
                !sim_load(b->s, "threads.ptx", ptx, sizeof ptx - 1, &m, &b->e);
    sim_launch l = {.kernel = "k",
                    .grid = {30, 1, 1},
                    .block = {32, 1, 1},
                    .params = &out,
                    .param_bytes = 8,
                    .host_threads = 3,
                    .counts = SIM_COUNT_MEMORY,
                    .checks = SIM_CHECK_INIT};
    good = good && !sim_run(b->s, m, &l, &r, &b->e) && !r.code && !sim_read(b->s, out, is, sizeof is, &b->e);
    for (uint32_t k = 0; good && k < 30 * 32; k++) good = is[k] == 1u << k / 32;
    check_that(good, "blocks on three threads that read what others store: as one after the other");
    sim_result_free(&r);
    if (m) sim_unload(b->s, m);
    sim_free(b->s, out, &b->e);
}

static void tests(bench *b)
{
    test_threads(b);
    test_loads(b);
    test_faults(b);
    test_ends(b);
    test_views(b);
    test_drawn(b);
}
