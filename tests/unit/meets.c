/* meets.c: which lanes of a warp are together where paths reconverge (code/reconverge.c).
 *
 * The programs are in tests/machine/meets.h. Here each thread runs them alone and notes the points
 * that it passes. All threads that pass a point in the same turn must have been together there in
 * the simulator, and no others. A card does the same with the same kernels (tests/gpu/card.sh;
 * measured on an H100).
 *
 * Then random graphs that nobody would write, in which any block may lead to any other. Whichever
 * lanes run together, each must end as it does alone.
 */
#include "base.h"
#include "check.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 8, POINTS = 16, CELLS = TURNS * TURNS * POINTS * 32 };
static uint32_t expected[CELLS], seen[CELLS];
static void note(unsigned turn, unsigned point, unsigned lane, unsigned way)
{
    expected[(turn * POINTS + point) * 32 + lane] = way + 1;
}

#define PLACE
#define PROGRAM(name)     static void name(unsigned lane, unsigned turns)
#define SEE(p)            SEE_APART(p, 0)
#define SEE_APART(p, way) note(turn, p, lane, way)
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter" /* programs without loops have no turns */
#endif
#include "../machine/meets.h"

static const struct {
    const char *name;
    void (*program)(unsigned lane, unsigned turns);
} programs[] = {
    {"either", either},
    {"either_both", either_both},
    {"turn_off", turn_off},
    {"turn_off_twice", turn_off_twice},
    {"turn_off_far", turn_off_far},
    {"end_early", end_early},
    {"leave_loop", leave_loop},
    {"next_turn", next_turn},
    {"leave_inner", leave_inner},
    {"leave_both", leave_both},
    {"leave_endless", leave_endless},
    {"leave_to_two", leave_to_two},
    {"leave_switch", leave_switch},
    {"behind_switch", behind_switch},
};

static char *read_file(const char *name, size_t *bytes)
{
    FILE *f = fopen(name, "rb");
    char *text = calloc(1, 1 << 20);
    if (!f || !text) {
        fprintf(stderr, "cannot read %s\n", name);
        exit(1);
    }
    *bytes = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

/* Describes the first difference in `why`; "" when there is none. */
static void compare(char *why, size_t room)
{
    *why = 0;
    for (unsigned i = 0; i < CELLS && !*why; i += 32)
        for (unsigned lane = 0; lane < 32 && !*why; lane++) {
            uint32_t together = 0;
            for (unsigned l = 0; l < 32 && expected[i + lane]; l++)
                together |= (uint32_t)(expected[i + l] == expected[i + lane]) << l;
            if (seen[i + lane] != together)
                snprintf(why, room, "turn %u, point %u: lane %u was with 0x%08x, not 0x%08x", i / 32 / POINTS,
                         i / 32 % POINTS, lane, (unsigned)seen[i + lane], (unsigned)together);
        }
}

static sim *s;
static uint64_t at;

static void nothing_wrong(const char *name, const char *how, const char *why)
{
    char both[200];
    snprintf(both, sizeof both, "%s%s", name, how);
    check_why(!*why, both, why);
}

static void run_programs(sim_module *m)
{
    sim_error e = {0};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        for (int timed = 0; timed < 2; timed++) { /* timed runs take other rounds of the run loop */
            struct {
                uint64_t seen;
                uint32_t turns;
            } p = {at, TURNS};
            sim_launch l = {.kernel = programs[i].name,
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .params = &p,
                            .param_bytes = 12,
                            .timed = timed,
                            .max_instructions = 1000000};
            sim_result r;
            char why[200];
            memset(seen, 0, sizeof seen);
            memset(expected, 0, sizeof expected);
            for (unsigned lane = 0; lane < 32; lane++) programs[i].program(lane, TURNS);
            sim_write(s, at, seen, sizeof seen, &e);
            if (sim_run(s, m, &l, &r, &e)) {
                snprintf(why, sizeof why, "%.150s", e.message);
            } else {
                sim_read(s, at, seen, sizeof seen, &e);
                compare(why, sizeof why);
                sim_result_free(&r);
            }
            nothing_wrong(programs[i].name, timed ? ", timed" : "", why);
        }
}

/* ---- random graphs ---- */

static uint32_t state;
static uint32_t below(uint32_t n)
{
    state = state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)state * n >> 32);
}

static char text[65536];
static size_t used;
static void put(const char *fmt, ...) SIM_PRINTF(1, 2);
static void put(const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    const int n = vsnprintf(text + used, sizeof text - used, fmt, v);
    va_end(v);
    if (n < 0 || (size_t)n >= sizeof text - used) abort();
    used += (size_t)n;
}

/* Each block changes the value that the lane branches on, and counts; after `most` blocks the lane
 * ends. The length of jumps, back or forward, is drawn per graph. */
static void make_graph(uint32_t blocks, uint32_t most)
{
    const uint32_t far = 1 + below(blocks), back = below(100), turn = below(8), end = below(4);
    used = 0;
    put(".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 base)\n{\n"
        ".reg .pred %%p<3>; .reg .b32 %%r<8>; .reg .b64 %%rd<3>;\n"
        "ld.param.u64 %%rd1, [out]; ld.param.u32 %%r6, [base]; mov.u32 %%r1, %%tid.x; add.u32 %%r1, %%r1, %%r6;\n"
        "mov.u32 %%r2, 0; mul.lo.u32 %%r4, %%r1, 40503;\n");
    for (uint32_t i = 0; i < blocks; i++) {
        put("L%u: add.u32 %%r2, %%r2, 1; mad.lo.u32 %%r4, %%r4, 1664525, %u; setp.gt.u32 %%p2, %%r2, %u; "
            "@%%p2 bra END;\n",
            i, i * 2 + 1, most);
        put("shr.u32 %%r5, %%r4, %u; and.b32 %%r5, %%r5, %u; setp.eq.u32 %%p1, %%r5, 0;\n", 20 + below(8),
            (1u << below(4)) - 1);
        const uint32_t to = below(100) < back ? (i > far ? i - 1 - below(far) : below(i + 1)) : i + 1 + below(far);
        put("@%%p1 bra L%u;\n", to < blocks ? to : blocks - 1);
        if (below(16) < turn) put("bra L%u;\n", below(blocks));
        if (below(32) < end) put("@%%p1 ret;\n");
    }
    put("END: sub.u32 %%r1, %%r1, %%r6; mul.wide.u32 %%rd2, %%r1, 4; add.s64 %%rd1, %%rd1, %%rd2; mad.lo.u32 %%r4, "
        "%%r2, 7919, %%r4; st.global.u32 [%%rd1], %%r4; ret;\n}\n");
}

/* Runs `lanes` lanes from `base` on; their results go to `to`. */
static bool run_graph(sim_module *m, uint32_t base, uint32_t lanes, bool timed, uint32_t *to)
{
    sim_error e = {0};
    struct {
        uint64_t out;
        uint32_t base;
    } p = {at, base};
    sim_launch l = {.kernel = "k",
                    .grid = {1, 1, 1},
                    .block = {lanes, 1, 1},
                    .params = &p,
                    .param_bytes = 12,
                    .timed = timed,
                    .max_instructions = 2000000};
    sim_result r;
    uint32_t none[32] = {0};
    if (sim_write(s, at, none, 4 * lanes, &e) || sim_run(s, m, &l, &r, &e)) return false;
    const bool fine = r.code == SIM_OK;
    sim_result_free(&r);
    return fine && !sim_read(s, at, to, 4 * lanes, &e);
}

static void run_graphs(int graphs)
{
    char why[200] = "";
    for (int g = 0; g < graphs && !*why; g++) {
        sim_error e = {0};
        sim_module *m;
        uint32_t alone[32], together[32], timed[32];
        state = (uint32_t)g * 2654435761u + 1;
        make_graph(2 + below(30), 20 + below(200));
        if (sim_load(s, "graph.ptx", text, used, &m, &e)) {
            snprintf(why, sizeof why, "graph %d: %.120s", g, e.message);
            continue;
        }
        bool ran = run_graph(m, 0, 32, false, together) && run_graph(m, 0, 32, true, timed);
        for (uint32_t lane = 0; lane < 32; lane++) ran = ran && run_graph(m, lane, 1, false, &alone[lane]);
        if (!ran) snprintf(why, sizeof why, "graph %d did not run to its end", g);
        for (int lane = 0; lane < 32 && !*why; lane++)
            if (alone[lane] != together[lane] || alone[lane] != timed[lane])
                snprintf(why, sizeof why, "graph %d: lane %d left 0x%08x alone, 0x%08x with others, 0x%08x timed", g,
                         lane, (unsigned)alone[lane], (unsigned)together[lane], (unsigned)timed[lane]);
        sim_unload(s, m);
    }
    nothing_wrong("graphs by chance: each lane as alone", "", why);
}

int main(void)
{
    sim_module *m;
    sim_error e = {0};
    sim_card c;
    size_t bytes, card_bytes;
    char *card = read_file("sim/cards/h200.card", &card_bytes), *ptx = read_file("tests/machine/meets.ptx", &bytes);
    if (sim_card_read(&c, card, "h200", &e) || sim_open(&s, &c, &e) || sim_load(s, "meets.ptx", ptx, bytes, &m, &e) ||
        sim_alloc(s, sizeof seen, "seen", &at, &e)) {
        printf("FAIL setup: %s:%d: %s\n", e.file, e.line, e.message);
        return 1;
    }
    run_programs(m);
    run_graphs(300);
    sim_close(s);
    free(card);
    free(ptx);
    return check_end();
}
