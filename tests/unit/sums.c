/* sums.c: atomic sums of floats, which depend on the order, by blocks that run in parallel. The
 * results must be the same in every bit for any number of host threads, timed and untimed. See
 * sim/run/parallel_bet.c.
 *
 * In every turn a thread makes a random number, %f1 and %fd1, and two random places: %rd2 among
 * some floats, %rd3 among some doubles. A case says what it does with them. %r1 is the block, %r2
 * the thread, %r4 the turn, %rd1 `out`, %rd4 the block's own word. */
#include "sim.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 18, OWN = 8192 /* offset of the blocks' own words */ };

static const char text_of_case[] =
    ".version 6.3\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 turns, "
    ".param .u32 work)\n{\n"
    ".reg .pred %%p<8>; .reg .b32 %%r<30>; .reg .b64 %%rd<20>; .reg .f32 %%f<8>; .reg .f64 %%fd<8>; "
    ".shared .align 8 .b8 shared[256];\n"
    "ld.param.u64 %%rd1, [out]; ld.param.u32 %%r3, [turns]; ld.param.u32 %%r9, [work]; mov.u32 %%r1, %%ctaid.x; "
    "mov.u32 %%r2, %%tid.x;\n"
    "mad.wide.u32 %%rd4, %%r1, 4, %%rd1; add.u64 %%rd4, %%rd4, 8192; setp.eq.u32 %%p1, %%r2, 0;\n"
    "%s\nmov.u32 %%r4, 0;\nTURN:\n"
    "mov.u32 %%r6, 0;\nWORK: xor.b32 %%r7, %%r6, %%r2; mad.lo.u32 %%r8, %%r7, %%r8, 5; add.u32 %%r6, %%r6, 1; "
    "setp.lt.u32 %%p2, %%r6, %%r9; @%%p2 bra WORK;\n"
    "mad.lo.u32 %%r5, %%r1, 1024, %%r2; mul.lo.u32 %%r5, %%r5, 0x9E3779B1; mad.lo.u32 %%r5, %%r4, 0x85EBCA6B, %%r5;\n"
    "shr.u32 %%r6, %%r5, 15; xor.b32 %%r5, %%r5, %%r6; mul.lo.u32 %%r5, %%r5, 0x2C1B3C6D; shr.u32 %%r6, %%r5, 13; "
    "xor.b32 %%r5, %%r5, %%r6;\n"
    "shr.u32 %%r6, %%r5, 23; and.b32 %%r6, %%r6, 15; add.u32 %%r6, %%r6, 120; shl.b32 %%r6, %%r6, 23; and.b32 %%r7, "
    "%%r5, 0x807fffff; or.b32 %%r6, %%r6, %%r7;\n"
    "mov.b32 %%f1, %%r6; cvt.f64.f32 %%fd1, %%f1; mul.f64 %%fd1, %%fd1, 0d3FF123456789ABCD;\n"
    "shr.u32 %%r6, %%r5, 3; and.b32 %%r6, %%r6, 31; mad.wide.u32 %%rd2, %%r6, 4, %%rd1; mad.wide.u32 %%rd3, %%r6, 8, "
    "%%rd1; add.u64 %%rd3, %%rd3, 4096;\n"
    "%s\nadd.u32 %%r4, %%r4, 1; setp.lt.u32 %%p2, %%r4, %%r3; @%%p2 bra TURN;\n%s\nret;\n}\n";

enum {
    UNTIMED = 1,
    TIMED = 2,
    LONG = 4 /* timed: so many blocks for the card that some results kept for timing are unused */
};
enum {
    SHARED = 1 /* blocks must run in parallel */,
    FAULTS = 2,
    ORDERED = 4 /* another order gives another result */,
    INIT = 8,
    HALF = 16 /* the memory is unwritten */
};
// clang-format off
static const struct test_case {
    const char *name, *first, *turn, *last;
    uint32_t grid, block, turns, work; /* work: in untimed launches; timed ones do more, to be sampled */
    int kinds, what;
} cases[] = {
    {"one thread of each block", "", "@%p1 red.global.add.f32 [%rd1], %f1;", "", 3000, 64, 2, 10,
     UNTIMED | TIMED | LONG, SHARED | ORDERED},
    {"volatile shared memory between barriers", "",
     "st.volatile.shared.u32 [shared], %r4; bar.sync 0; ld.volatile.shared.u32 %r10, [shared]; bar.sync 0; "
     "@%p1 red.global.add.f32 [%rd1], %f1;", "", 600, 64, 8, 10,
     UNTIMED | TIMED, SHARED | ORDERED},
    {"an atom without a result", "", "@!%p1 bra PAST; atom.global.add.f64 %fd2, [%rd3], %fd1; PAST:", "", 3000, 64, 2,
     10, UNTIMED | TIMED, SHARED | ORDERED},
    {"all threads, many words, float and double", "", "red.global.add.f32 [%rd2], %f1; red.global.add.f64 [%rd3], "
     "%fd1;", "", 600, 96, 4, 10, UNTIMED | TIMED,
     SHARED | ORDERED},
    {"some lanes", "and.b32 %r10, %r2, 5; setp.eq.u32 %p3, %r10, 4;", "@%p3 red.global.add.f32 [%rd2], %f1;", "", 600,
     96, 4, 10, UNTIMED | LONG, SHARED | ORDERED},
    {"generic addresses, all global", "", "red.add.f32 [%rd2], %f1;", "", 600, 64, 4, 10, UNTIMED, SHARED | ORDERED},
    {"generic addresses, some shared", "mov.u64 %rd8, shared; cvta.shared.u64 %rd8, %rd8; and.b32 %r10, %r2, 1; "
     "setp.eq.u32 %p3, %r10, 0;",
     "selp.b64 %rd9, %rd8, %rd2, %p3; red.add.f32 [%rd9], %f1;", "", 600, 64, 4, 10, UNTIMED, ORDERED},
    {"subnormals", "", "and.b32 %r10, %r5, 0x80ffffff; mov.b32 %f2, %r10; red.global.add.f32 [%rd2], %f2;", "", 600, 64,
     4, 10, UNTIMED, SHARED},
    {"NaNs of doubles", "", "mov.b64 %rd8, {%r5, %r1}; or.b64 %rd8, %rd8, 0x7ff0000000000000; mov.b64 %fd2, %rd8; "
     "red.global.add.f64 [%rd3], %fd2;", "", 600, 64, 4, 10,
     UNTIMED, SHARED | ORDERED},
    {"wide scope, release", "", "red.release.sys.global.add.f32 [%rd2], %f1;", "", 600, 64, 4, 10, UNTIMED,
     SHARED | ORDERED},
    {"a block's scope", "", "red.relaxed.cta.global.add.f32 [%rd2], %f1;", "", 600, 64, 4, 10, UNTIMED, ORDERED},
    {"vectors", "", "and.b64 %rd8, %rd2, -8; red.global.v2.f32.add [%rd8], {%f1, %f1};", "", 600, 64, 4, 10, UNTIMED,
     ORDERED},
    {"results that are used", "", "@%p1 atom.global.add.f32 %f2, [%rd1], %f1; @%p1 st.global.f32 [%rd4], %f2;", "",
     1000, 64, 2, 10, UNTIMED, ORDERED},
    {"a word that is read in the end", "", "red.global.add.f32 [%rd2], %f1;", "ld.volatile.global.f32 %f2, [%rd2]; "
     "@%p1 st.global.f32 [%rd4], %f2;", 600, 64, 4, 10,
     UNTIMED | TIMED, ORDERED},
    {"a word that late blocks read", "setp.gt.u32 %p3, %r1, 500;", "@!%p3 red.global.add.f32 [%rd2], %f1; "
     "@%p3 ld.global.f32 %f3, [%rd2];", "@%p1 st.global.f32 [%rd4], %f3;", 600, 64, 4, 10,
     UNTIMED, ORDERED},
    {"a word that one late block sets", "setp.eq.u32 %p3, %r1, 400;", "red.global.add.f32 [%rd2], %f1;",
     "@%p3 st.global.f32 [%rd2], %f1;", 600, 64, 4, 10, UNTIMED | TIMED,
     ORDERED},
    {"integers added to the same words", "", "red.global.add.f32 [%rd2], %f1; red.global.add.u32 [%rd2], 1;", "", 600,
     64, 4, 10, UNTIMED | TIMED, ORDERED},
    {"integers added to the same words, by other blocks", "and.b32 %r10, %r1, 1; setp.eq.u32 %p3, %r10, 1;",
     "@%p3 red.global.add.f32 [%rd2], %f1; @!%p3 red.global.add.u32 [%rd2], 1;", "", 600, 64, 4, 10, UNTIMED, ORDERED},
    {"floats and doubles at the same words", "", "red.global.add.f32 [%rd2], %f1; and.b64 %rd8, %rd2, -8; "
     "red.global.add.f64 [%rd8], %fd1;", "", 600, 64, 4, 10, UNTIMED, ORDERED},
    {"words of the block's own, stored first", "@%p1 st.global.f32 [%rd4], 0f3F800000; bar.sync 0;",
     "red.global.add.f32 [%rd4], %f1;", "", 600, 64, 4, 10, UNTIMED | TIMED, SHARED},
    {"... and read in the end", "@%p1 st.global.f32 [%rd4], 0f3F800000; bar.sync 0;", "red.global.add.f32 [%rd4], %f1;",
     "bar.sync 0; ld.global.f32 %f2, [%rd4]; add.f32 %f2, %f2, %f2; @%p1 st.global.f32 [%rd4+4096], %f2;", 600, 64, 4,
     10, UNTIMED | TIMED, SHARED},
    {"words of the block's own beside words of all", "@%p1 st.global.f32 [%rd4], 0f3F800000; bar.sync 0; and.b32 %r10, "
     "%r2, 1; setp.eq.u32 %p3, %r10, 1;",
     "selp.b64 %rd8, %rd4, %rd2, %p3; red.global.add.f32 [%rd8], %f1;", "", 600, 64, 4, 10, UNTIMED, ORDERED},
    {"a fault in a late block", "setp.eq.u32 %p3, %r1, 517; mov.u64 %rd8, 16;", "red.global.add.f32 [%rd2], %f1;",
     "@%p3 st.global.u32 [%rd8], %r1;", 600, 64, 4, 10, UNTIMED | TIMED,
     FAULTS | ORDERED},
    {"a fault in the first block", "setp.eq.u32 %p3, %r1, 0; mov.u64 %rd8, 16;", "red.global.add.f32 [%rd2], %f1;",
     "@%p3 st.global.u32 [%rd8], %r1;", 600, 64, 4, 10, UNTIMED,
     FAULTS},
    {"initialised words, watched", "", "red.global.add.f32 [%rd2], %f1; red.global.add.f64 [%rd3], %fd1;", "", 600, 64,
     4, 10, UNTIMED, SHARED | ORDERED | INIT},
    {"a word that nobody has written", "setp.eq.u32 %p3, %r1, 517; selp.b64 %rd8, 200000, 0, %p3;",
     "add.u64 %rd9, %rd2, %rd8; red.global.add.f32 [%rd9], %f1;",
     "@%p3 ld.global.u32 %r10, [%rd9]; setp.eq.u32 %p3, %r10, 5; @%p3 st.global.u32 [%rd9], %r10;", 600, 64, 4, 10,
     UNTIMED,
     FAULTS | INIT | HALF},
    {"... and whose integers others count", "setp.eq.u32 %p3, %r1, 517; selp.b64 %rd8, 200000, 0, %p3;",
     "add.u64 %rd9, %rd2, %rd8; red.global.add.u32 [%rd9], 1;",
     "@%p3 ld.global.u32 %r10, [%rd9]; setp.eq.u32 %p3, %r10, 5; @%p3 st.global.u32 [%rd9], %r10;", 600, 64, 4, 10,
     UNTIMED,
     FAULTS | INIT | HALF},
    {"more than is noted, as late blocks show", "setp.gt.u32 %p3, %r1, 0; selp.u32 %r3, 40, 1, %p3;",
     "red.global.add.f32 [%rd2], %f1;", "", 400, 640, 1, 1, UNTIMED, ORDERED},
    {"more than is noted, as the first block shows", "", "red.global.add.f32 [%rd2], %f1;", "", 400, 640, 40, 1,
     UNTIMED, ORDERED},
    /* no sums: values read by blocks that run before their time, and words shared by one thread's
     * blocks */
    {"each block reads the one before", "", "@%p1 ld.volatile.global.u32 %r10, [%rd4]; @%p1 add.u32 %r10, %r10, 1;",
     "@%p1 st.global.u32 [%rd4+4], %r10;", 6000, 64, 2, 10, UNTIMED | TIMED, 0},
    {"two blocks a word", "and.b64 %rd4, %rd4, -8;", "@%p1 st.global.u32 [%rd4], %r1;", "", 3000, 64, 2, 10,
     UNTIMED | TIMED | LONG, 0},
};
// clang-format on

static bool good; /* the current case */
static const char *name_of_case;
static void right(bool right, const char *what, int threads)
{
    if (!right) printf("FAIL %s: %s, %d threads\n", name_of_case, what, threads);
    if (!right) good = false;
}

typedef struct machine {
    sim *s;
    sim_module *m;
    uint64_t out;
} machine;

static void die(const char *what, const sim_error *e)
{
    printf("FAIL %s: %s: line %d: %s\n", name_of_case, what, e->line, e->message);
    exit(1);
}

static machine open_machine(const sim_card *card, const struct test_case *c)
{
    machine x;
    sim_error e = {0};
    char text[8192];
    snprintf(text, sizeof text, text_of_case, c->first, c->turn, c->last);
    if (sim_open(&x.s, card, &e) || sim_load(x.s, "case.ptx", text, strlen(text), &x.m, &e) ||
        sim_alloc(x.s, BYTES, "out", &x.out, &e))
        die("setup", &e);
    return x;
}

/* Runs it on words that hold 1; `left` gets the memory afterwards. */
static sim_result launch(const sim_card *card, const struct test_case *c, bool timed, int threads, uint64_t shuffle,
                         char *left)
{
    machine x = open_machine(card, c);
    sim_error e = {0};
    sim_result r;
    struct {
        uint64_t out;
        uint32_t turns, work;
    } p = {x.out, c->turns, c->work};
    if (timed) p.work = 20000000 / (c->grid * (c->block / 32) * c->turns * 5) + 1;
    for (int i = 0; i < BYTES / 4; i++)
        memcpy(left + 4 * i, i >= 1024 && i < 2048 ? &(uint32_t){i % 2 ? 0x3ff00000 : 0} : &(uint32_t){0x3f800000}, 4);
    if (sim_write(x.s, x.out, left, c->what & HALF ? BYTES / 2 : BYTES, &e)) die("write", &e);
    sim_launch l = {.kernel = "k",
                    .grid = {c->grid, 1, 1},
                    .block = {c->block, 1, 1},
                    .params = &p,
                    .param_bytes = sizeof p,
                    .timed = timed,
                    .host_threads = threads,
                    .shuffle = shuffle,
                    .checks = c->what & INIT ? SIM_CHECK_INIT : 0,
                    .counts = SIM_COUNT_MEMORY};
    if (sim_run(x.s, x.m, &l, &r, &e)) die("run", &e);
    memset(left, 0, BYTES);
    if (sim_read(x.s, x.out, left, c->what & HALF ? BYTES / 2 : BYTES, &e)) die("read", &e);
    sim_close(x.s);
    return r;
}

static char one_left[BYTES], left[BYTES];

static void same_as_one(const sim_card *card, const struct test_case *c, bool timed)
{
    static char name[200];
    snprintf(name, sizeof name, "%s%s%s", c->name, timed ? ", timed on " : "", timed ? card->name : "");
    name_of_case = name;
    good = true;
    sim_result one = launch(card, c, timed, 1, 0, one_left);
    right((one.code == SIM_E_FAULT) == !!(c->what & FAULTS), "code", 1);
    if (timed) right(one.usage.sampled || c->what & FAULTS, "sampled", 1);
    if (c->what & ORDERED && !timed) {
        sim_result other = launch(card, c, false, 1, 7, left);
        right(memcmp(left, one_left, BYTES), "the order shows", 1);
        sim_result_free(&other);
    }
    for (int threads = 2; threads <= 4; threads += timed ? 2 : 1) {
        sim_result r = launch(card, c, timed, threads, 0, left);
        right(r.code == one.code, "code", threads);
        right(!memcmp(left, one_left, BYTES), "what is left", threads);
        right(!memcmp(&r.total, &one.total, sizeof r.total), "counters", threads);
        right(r.cycles == one.cycles, "cycles", threads);
        right(r.fault_count == one.fault_count, "faults", threads);
        for (int i = 0; i < r.fault_count && i < one.fault_count; i++)
            right(!strcmp(r.faults[i].message, one.faults[i].message) &&
                      !memcmp(r.faults[i].at.block, one.faults[i].at.block, 12),
                  r.faults[i].message, threads);
        if (c->what & SHARED) right(!r.reran_in_order && r.host_threads == threads, "side by side", threads);
        sim_result_free(&r);
    }
    sim_result_free(&one);
    check(good, name);
}

/* Blocks mark their own word and add 1 to the first one until the time limit. What was done by then
 * must be in memory. */
static void stopped(const sim_card *card, bool timed)
{
    static const struct test_case c = {
        "stopped", "",    "@%p1 st.global.u32 [%rd4], 7; @%p1 red.global.add.f32 [%rd1], 0f3F800000;",
        "",        30000, 64,
        1,         10000, 0,
        0};
    name_of_case = timed ? "time is over, timed" : "time is over";
    good = true;
    for (int threads = timed ? 3 : 1; threads <= 3; threads++) {
        machine x = open_machine(card, &c);
        sim_error e = {0};
        sim_result r;
        struct {
            uint64_t out;
            uint32_t turns, work;
        } p = {x.out, c.turns, c.work};
        memset(left, 0, BYTES);
        if (sim_write(x.s, x.out, left, BYTES, &e)) die("write", &e);
        sim_launch l = {.kernel = "k",
                        .grid = {c.grid, 1, 1},
                        .block = {c.block, 1, 1},
                        .params = &p,
                        .param_bytes = sizeof p,
                        .timed = timed,
                        .host_threads = threads,
                        .max_seconds = timed ? 1.5 : 0.5};
        if (sim_run(x.s, x.m, &l, &r, &e) || sim_read(x.s, x.out, left, BYTES, &e)) die("run", &e);
        float sum;
        int marks = 0;
        memcpy(&sum, left, sizeof sum);
        for (uint32_t i = 0; i < c.grid; i++) {
            uint32_t mark;
            memcpy(&mark, left + OWN + 4 * i, sizeof mark);
            marks += mark == 7;
        }
        right(r.code == SIM_E_STOPPED, "code", threads);
        /* in timed order each of many blocks may have been stopped between mark and sum */
        right(marks > 5 && sum <= (float)marks && sum >= (float)(timed ? marks / 2 : marks), "sum", threads);
        sim_result_free(&r);
        sim_close(x.s);
    }
    check(good, name_of_case);
}

/* Sums at one word happen one after the other, whichever multiprocessor makes them. So they take
 * the card's time for each, or a little more, since the first comes late. A sample sees only some
 * of the multiprocessors; it must give the same. */
static void kept(const sim_card *card)
{
    static const struct test_case c = {
        "how long a word is kept", "", "@%p1 red.global.add.f32 [%rd1], %f1;", "", 60000, 64, 10, 0, 0, 0};
    const double floor = (double)c.grid * c.turns * card->timing.atomic_float;
    name_of_case = c.name;
    good = true;
    sim_result sampled = launch(card, &c, true, 2, 0, left);
    right(sampled.usage.sampled, "sampled", 2);
    right(sampled.cycles >= floor && sampled.cycles < 1.05 * floor, "all sums, one after the other", 2);
    sim_result_free(&sampled);
    check_that(good, "%s on %s", c.name, card->name);
}

/* Blocks that add to one word without an atomic operation: side by side they would lose some. What was tried once in
 * vain is not tried at once again, and is tried again some time. */
static void lost(const sim_card *card)
{
    static const struct test_case c = {
        "a bet that is lost",
        "",
        "@%p1 ld.global.u32 %r10, [%rd1]; add.u32 %r10, %r10, 1; @%p1 st.global.u32 [%rd1], %r10;",
        "",
        600,
        64,
        1,
        2000,
        0,
        0};
    name_of_case = c.name;
    good = true;
    machine x = open_machine(card, &c);
    sim_error e = {0};
    sim_result r;
    struct {
        uint64_t out;
        uint32_t turns, work;
    } p = {x.out, c.turns, c.work};
    uint32_t sum = 0, tried = 0;
    bool before = false; /* the launch before tried */
    if (sim_write(x.s, x.out, &sum, sizeof sum, &e)) die("write", &e);
    for (uint32_t i = 1; i <= 12; i++) {
        sim_launch l = {.kernel = "k",
                        .grid = {c.grid, 1, 1},
                        .block = {c.block, 1, 1},
                        .params = &p,
                        .param_bytes = sizeof p,
                        .host_threads = 2};
        if (sim_run(x.s, x.m, &l, &r, &e) || sim_read(x.s, x.out, &sum, sizeof sum, &e)) die("run", &e);
        right(sum == i * c.grid, "sum", 2);
        right(!before || !r.reran_in_order, "not tried at once again", 2);
        before = r.reran_in_order;
        tried += before;
        sim_result_free(&r);
    }
    right(tried >= 2 && tried <= 3, "tried again some time", 2); /* after 4 launches, then after 8 */
    sim_close(x.s);
    check_that(good, "%s", c.name);
}

static sim_card read_card(const char *name)
{
    static char text[1 << 16];
    char path[100];
    sim_card c;
    sim_error e = {0};
    snprintf(path, sizeof path, "sim/cards/%s.card", name);
    FILE *f = fopen(path, "rb");
    if (!f) {
        printf("FAIL cannot read %s\n", path);
        exit(1);
    }
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    name_of_case = name;
    if (sim_card_read(&c, text, name, &e)) die("card", &e);
    return c;
}

int main(int argc, char **argv) /* with an argument: only cases whose name has it */
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    const sim_card h200 = read_card("h200");
    const sim_card rtx2070 = read_card("rtx2070"), gtx1050 = read_card("gtx1050");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc > 1 && !strstr(cases[i].name, argv[1])) continue;
        if (cases[i].kinds & UNTIMED) same_as_one(&h200, &cases[i], false);
        if (cases[i].kinds & TIMED) same_as_one(&h200, &cases[i], true);
        if (cases[i].kinds & TIMED) same_as_one(&rtx2070, &cases[i], true);
        struct test_case longer = cases[i];
        longer.grid = 20000;
        if (cases[i].kinds & LONG) same_as_one(&gtx1050, &longer, true);
    }
    if (argc == 1 || !strcmp(argv[1], "kept")) kept(&h200);
    if (argc == 1 || !strcmp(argv[1], "lost")) lost(&h200);
    if (argc == 1 || !strcmp(argv[1], "stopped")) {
        stopped(&h200, false);
        stopped(&h200, true);
    }
    return check_end();
}
