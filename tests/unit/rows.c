/* rows.c: which rows the table of a run has, and the words for good and bad changes. The numbers are
 * made up; what must come out is worked out by the rule in lessons/README.md. */
#include "view/run_rows.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                     \
    "title: T\nsetting: n = 8 from 1 to 64, numbers\nstep: a\ntitle: A\nidea: I\nkernel: k.cu\n" \
    "buffer: x i32[n] = iota\nlaunch: k<<<1, n>>>(x)\nright: x == sorted(x)\nbytes: 4096\n"      \
    "step: b like a\ntitle: B\nidea: I\n"

/* A kernel of 100 loads of 128 bytes, in 3,200 sectors of 32 bytes. */
static void fill(step_result *r)
{
    memset(r, 0, sizeof *r);
    r->launches = 1;
    r->simulated = r->counted = r->has_cycles = r->has_time = true;
    r->cc_major = 9;
    r->banks = 32;
    r->cycles = 1000;
    r->seconds = 1e-6;
    r->bytes = 4096;
    r->operations = -1;
    r->total.warps = 4;
    r->total.warp_instructions = 1000;
    r->total.thread_instructions = 32000;
    r->total.global_load_requests = 100;
    r->total.global_load_bytes = 12800;
    r->total.global_load_sectors = 3200;
}

/* The rows of step b after `text`, joined by blanks. */
static const char *rows_of(const char *keys, const step_result *r, const step_result *before, int *left)
{
    static char out[400];
    char text[2000];
    lesson *l;
    lesson_error err;
    *out = 0;
    snprintf(text, sizeof text, "%s%s", HEAD, keys);
    if (lesson_parse(&l, "t", text, strlen(text), &err) || !lesson_check(l, &err)) {
        snprintf(out, sizeof out, "%s", err.message);
        return out;
    }
    struct lesson_state st = {.l = l};
    struct app app = {.lesson = &st};
    step_values values;
    step_chosen chosen = {0};
    char why[160];
    step_settings(l, &l->step[1], &chosen, &values, why, sizeof why);
    view_context c = {.app = &app, .s = &l->step[1], .r = r, .values = &values, .chosen = &chosen};
    run_rows rows;
    run_rows_choose(&c, before, run_rows_column(&c), &rows);
    for (int i = 0; i < rows.count; i++)
        snprintf(out + strlen(out), sizeof out - strlen(out), "%s%s", i ? " " : "", metrics[rows.metric[i]].id);
    *left = rows.left;
    lesson_free(l);
    return out;
}

static void rows(void)
{
    step_result now, before;
    int left;
    fill(&before);
    fill(&now);
    now.cycles = 500;
    now.seconds = 5e-7;
    now.total.warp_instructions = 980; /* 2 % less: no reason for a row */
    now.total.thread_instructions = 31360;
    now.total.global_load_sectors = 400;
#define ROWS(keys, r, before, want, more)                                               \
    do {                                                                                \
        const char *got = rows_of(keys, r, before, &left);                              \
        check_why(!strcmp(got, want), keys[0] ? keys : "no keys", got);                 \
        if (!strcmp(got, want)) check_why(left == (more), keys, "another number left"); \
    } while (0)
    /* time says what cycles say, so it is the one for which there is no room */
    ROWS("", &now, &before, "cycles bandwidth transactions transactions_per_access efficiency", 1);
    /* six figures: more than five rows, and none for what changed */
    ROWS("article: time 1 us on x\narticle: warp_instructions 1000 on x\narticle: active_lanes 32 on x\n"
         "article: asked_bytes 12800 on x\n",
         &now, &before, "cycles time bandwidth warp_instructions active_lanes asked_bytes", 3);
    /* two figures, and three places left */
    ROWS("article: active_lanes 32 on x\n", &now, &before,
         "cycles bandwidth active_lanes transactions transactions_per_access", 2);
    ROWS("rows: warp_instructions, efficiency\n", &now, &before, "cycles warp_instructions efficiency", 4);
    ROWS("text: {before.asked_bytes} and {active_lanes}\n", &now, NULL,
         "cycles time bandwidth active_lanes asked_bytes", 4);
    now.simulated = false; /* a GPU: its time is measured, its cycles are not */
    now.total.global_load_sectors = 3200;
    ROWS("", &now, &before, "cycles time bandwidth", 0);
    now.has_timeline = true; /* all that a program has */
    now.program_seconds = 1e-3;
    now.kernels_seconds = 1e-6;
    ROWS("", &now, NULL, "program_time kernels_time launches", 0);
#undef ROWS
}

static void words(void)
{
    static const struct {
        const char *metric;
        double before, now;
        const char *said;
    } cases[] = {
        {"cycles", 3000, 1000, "+3.0x faster"},
        {"cycles", 1000, 1200, "-1.2x slower"},
        {"time", 1e-3, 1.05e-3, "-5.0 % slower"},
        {"transactions", 160, 10, "+16x better"},
        {"transactions", 10, 63, "-6.3x worse"},
        {"bandwidth", 1e9, 2e9, "+2.0x better"},
        {"bandwidth", 2e9, 1e9, "-2.0x worse"},
        {"asked_bytes", 100, 200, "2.0x more"},
        {"asked_bytes", 200, 100, "2.0x less"},
        {"warp_instructions", 200, 100, "+2.0x better"},
        {"cycles", 1000, 1000, "same"},
        {"barriers", 0, 8, "new"},
        {"barriers", 8, 0, "gone"},
        {"warps", 8, 16, "2.0x more"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char got[48];
        view_gain(got, sizeof got, metric_named(cases[i].metric, strlen(cases[i].metric)), cases[i].before,
                  cases[i].now);
        check_why(!strcmp(got, cases[i].said), cases[i].said, got);
    }
}

int main(void)
{
    rows();
    words();
    return check_end();
}
