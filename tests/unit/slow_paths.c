/* slow_paths.c: the time of quotients, roots and reciprocals, of ordinary numbers (ptxas/sequences.c) and
 * of numbers that take the slow path (ptxas/slow_paths.c), compared with an H200.
 *
 * Kernels of tests/fidelity/micro.cu do 16 of them one after the other in each turn, with one warp
 * per scheduler. An H200 gave the time for the number 1 and the extra time of other numbers. The
 * simulated card must match the first within a tenth and the second within a quarter. In the
 * *_lanes kernels each lane has a number of its own; all lanes reconverge after the slow path,
 * whatever their numbers. Another kernel gives one lane of a warp the slow number, or none.
 */
#include "base.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 100, EACH = 16, EACH_LANE = 128, ROOM = 1 << 16 };
static sim *s;
static uint64_t at;
static const struct {
    const char *kernel;
    bool wide;
    double number, clocks;
} rows[] = {
    {"float_div_1", false, 0, 200}, {"float_div_1", false, 1e-40, 429}, {"float_rcp_1", false, 0, 102},
    {"float_sqrt_1", false, 0, 76}, {"double_div_1", true, 0, 313},     {"double_sqrt_1", true, 0, 131},
    {"float_div_1", false, -3, 0},  {"double_div_1", true, 1e-40, 0},   {"float_sqrt_1", false, 4, 0},
};

static const struct {
    const char *kernel;
    bool wide;
    double clocks;
} ordinary[] = {
    {"float_div_1", false, 45.6},        {"float_div_by_1", false, 45.6},    {"float_sqrt_1", false, 43.8},
    {"float_rcp_1", false, 65.3},        {"double_div_1", true, 111.6},      {"double_sqrt_1", true, 81.3},
    {"double_rcp_1", true, 61.7},        {"float_div_lanes_1", false, 58.8}, {"float_div_by_lanes_1", false, 58.8},
    {"float_sqrt_lanes_1", false, 57.0}, {"float_rcp_lanes_1", false, 78.4}, {"double_div_lanes_1", true, 125.1},
    {"double_sqrt_lanes_1", true, 95.1}, {"double_rcp_lanes_1", true, 74.9},
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

static void odd_number(bool good, const char *name, double number, double got, double wanted)
{
    check_that(good, "%s of %g: %.0f clocks more than of 1, on an H200 %.0f", name, number, got, wanted);
}

static double cycles(sim_module *m, const char *kernel, uint32_t threads, const void *params, size_t bytes)
{
    sim_error e = {0};
    sim_launch l = {.kernel = kernel,
                    .grid = {1, 1, 1},
                    .block = {threads, 1, 1},
                    .params = params,
                    .param_bytes = bytes,
                    .timed = true,
                    .exact = true,
                    .max_instructions = 10000000};
    sim_result r;
    if (sim_run(s, m, &l, &r, &e)) {
        printf("FAIL %s: %s\n", kernel, e.message);
        exit(1);
    }
    const double c = (double)r.cycles;
    sim_result_free(&r);
    return c;
}

static double of_number(sim_module *m, const char *kernel, bool wide, double number)
{
    sim_error e = {0};
    struct {
        uint64_t x;
        int32_t turns;
        float p, q;
        int32_t store;
    } p = {at, TURNS, 1, 1, 0};
    struct {
        uint64_t x;
        int32_t turns, gap;
        double p, q;
        int32_t store;
    } p64 = {at, TURNS, 0, 1, 1, 0};
    float f[EACH_LANE];
    double d[EACH_LANE];
    for (int i = 0; i < EACH_LANE; i++) f[i] = (float)number, d[i] = number;
    sim_write(s, at, wide ? (const void *)d : f, wide ? sizeof d : sizeof f, &e);
    return wide ? cycles(m, kernel, 128, &p64, 36) : cycles(m, kernel, 128, &p, 24);
}

/* 64 quotients of 1 + tid and 7; in lane `lane`, of 0 and 7. -1: in no lane. */
static const char lanes_ptx[] =
    ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 lane)\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<4>; .reg .f32 %f<9>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [lane]; mov.u32 %r2, %tid.x; setp.eq.s32 %p1, %r1, %r2;\n"
    "add.u32 %r3, %r2, 1; cvt.rn.f32.u32 %f1, %r3; selp.f32 %f1, 0f00000000, %f1, %p1; mov.f32 %f2, 0f40e00000; "
    "mov.u32 %r3, 0;\n"
    "AGAIN: div.rn.f32 %f3, %f1, %f2; add.f32 %f4, %f4, %f3; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 64; "
    "@%p2 bra AGAIN;\n"
    "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd1, %rd1, %rd2; st.global.f32 [%rd1], %f4; ret;\n}\n";

static double of_lane(sim_module *m, int lane)
{
    struct {
        uint64_t out;
        int32_t lane;
    } p = {at, lane};
    return cycles(m, "k", 32, &p, 12);
}

int main(void)
{
    sim_error e = {0};
    sim_card c;
    sim_module *m, *lanes;
    size_t bytes, card_bytes;
    char *card = read_file("sim/cards/h200.card", &card_bytes), *ptx = read_file("tests/fidelity/micro.ptx", &bytes);
    if (sim_card_read(&c, card, "h200", &e) || sim_open(&s, &c, &e) || sim_load(s, "micro.ptx", ptx, bytes, &m, &e) ||
        sim_load(s, "lanes.ptx", lanes_ptx, sizeof lanes_ptx - 1, &lanes, &e) || sim_alloc(s, ROOM, "x", &at, &e)) {
        printf("FAIL setup: %s:%d: %s\n", e.file, e.line, e.message);
        return 1;
    }
    for (size_t i = 0; i < sizeof ordinary / sizeof ordinary[0]; i++) {
        const double takes = of_number(m, ordinary[i].kernel, ordinary[i].wide, 1) / (TURNS * EACH),
                     wanted = ordinary[i].clocks;
        const bool good = takes > 0.9 * wanted && takes < 1.1 * wanted;
        check_that(good, "%s of 1: %.1f clocks, on an H200 %.1f", ordinary[i].kernel, takes, wanted);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double more = (of_number(m, rows[i].kernel, rows[i].wide, rows[i].number) -
                             of_number(m, rows[i].kernel, rows[i].wide, 1)) /
                            (TURNS * EACH);
        odd_number(rows[i].clocks > 0 ? more > 0.75 * rows[i].clocks && more < 1.25 * rows[i].clocks
                                      : more > -1 && more < 1,
                   rows[i].kernel, rows[i].number, more, rows[i].clocks);
    }
    const double none = of_lane(lanes, -1), one = of_lane(lanes, 5), last = of_lane(lanes, 31),
                 nobody = of_lane(lanes, 32);
    const bool fine = one == last && none == nobody && (one - none) / 64 > 150 && (one - none) / 64 < 250;
    check_that(fine, "a zero in one lane costs its warp %.0f clocks a quotient, in none nothing", (one - none) / 64);
    sim_close(s);
    free(card);
    free(ptx);
    return check_end();
}
