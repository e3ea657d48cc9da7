/* apart.c: warp operations that lanes call on several paths (run/warp_meeting.c): which lanes meet,
 * which are released, what is a deadlock, and what gets a remark.
 *
 * The kernels are in tests/machine/apart.cu. From compute 7.0 on, the expected words are those of
 * an H100, or follow from the operation when all lanes of its mask meet. Before 7.0, each path acts
 * alone. Where both paths write what the other reads, either may come first. Every kernel runs by
 * turns, in shuffled order and in timed order, with all checks and without: the words must be the
 * same.
 */
#include "sim.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void one_case(bool good, const char *name, const char *card, const char *how, const char *why)
{
    char what[200];
    snprintf(what, sizeof what, "%s on %s%s", name, card, how);
    check_why(good, what, why);
}

/* ---- the expected word of lane i: all meet, or each path acts alone on the lanes `way` ---- */
typedef uint32_t answer(uint32_t i, uint32_t way);

static uint32_t arms_shuffle(uint32_t i, uint32_t way)
{
    const uint32_t from = i ^ 1, there = way >> from & 1;
    return (there ? from + (from % 2 ? 100 : 200) : 0) + (i % 2 ? 1000 : 2000);
}
static uint32_t arms_ballot(uint32_t i, uint32_t way)
{
    const uint32_t yes = (0x0000aaaau | 0xcccc0000u) & way; /* lanes below 16 with bit 0, the others with bit 1 */
    return i < 16 ? yes : ~yes;
}
static uint32_t arms_all(uint32_t i, uint32_t way)
{
    (void)way;
    return i < 5 ? 10 : 11; /* true on both paths */
}
static uint32_t arms_match(uint32_t i, uint32_t way) { return (0x11111111u << i % 4) & way; } /* all hold i % 4 */
static uint32_t arms_match_all(uint32_t i, uint32_t way) { return way ^ (i < 20 ? 1 : 2); }   /* all hold 0 */
static uint32_t arms_reduce(uint32_t i, uint32_t way)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 32; k++) sum += way >> k & 1 ? (k < 10 ? k : 2 * k) : 0;
    return sum + (i >= 10);
}
static uint32_t nested(uint32_t i, uint32_t way)
{
    static const uint32_t factor[] = {11, 5, 7, 3}, add[] = {4, 2, 3, 1};
    const uint32_t from = i ^ 3;
    return (way >> from & 1 ? from * factor[from % 4] : 0) + add[i % 4];
}
/* i + (31 - i), doubled three times; alone, every lane adds 0 */
static uint32_t loops(uint32_t i, uint32_t way) { return way == UINT32_MAX ? 8 * 31 : i; }
static uint32_t groups(uint32_t i, uint32_t way)
{
    const uint32_t from = i ^ 16;
    return way >> from & 1 ? from + (from < 16 ? 100 : 200) : 0;
}
static uint32_t groups_in_turn(uint32_t i, uint32_t way) { return way >> (i ^ 16) & 1 ? i ^ 16 : 0; }
static uint32_t inlined(uint32_t i, uint32_t way)
{
    uint32_t v[32];
    for (uint32_t k = 0; k < 32; k++) v[k] = k % 3 ? k : k * k;
    for (uint32_t d = 16; d; d /= 2) {
        uint32_t sum[32];
        for (uint32_t k = 0; k < 32; k++) sum[k] = v[k] + (way >> (k ^ d) & 1 ? v[k ^ d] : 0);
        memcpy(v, sum, sizeof v);
    }
    return v[i] + (i % 3 == 0);
}
static uint32_t called(uint32_t i, uint32_t way)
{
    const uint32_t from = i ^ 16;
    return (i < 16 ? i : i * 10) + (way >> from & 1 ? (from < 16 ? from : from * 10) : 0) + (i < 16 ? 1 : 2);
}
static uint32_t called_deeper(uint32_t i, uint32_t way)
{
    const uint32_t from = i ^ 16, there = way >> from & 1;
    return i < 16 ? i + (there ? 2 * from : 0) : (2 * i + (there ? from : 0)) * 2;
}
static uint32_t ended(uint32_t i, uint32_t way)
{
    const uint32_t yes = 0x00000aaau | 0x00555000u; /* odd ones below 12, even ones from 12 on */
    return i < 24 ? yes & way : 9;
}
static uint32_t one_after_the_other(uint32_t i, uint32_t way)
{
    if (i == 0) return way == UINT32_MAX ? 501 : 500; /* lane 1 takes part, or gives 0 */
    return i == 31 ? 31 : i + 1;
}
static uint32_t skip_all(uint32_t i, uint32_t way)
{
    (void)way;
    return i ? 1 : 7;
}
static uint32_t skip_ballot(uint32_t i, uint32_t way)
{
    (void)way;
    return i ? 0xfffffffeu : 7;
}
static uint32_t skip_shuffle(uint32_t i, uint32_t way)
{
    (void)way;
    return i == 0 ? 7 : i == 31 ? 31 : i + 1;
}
static uint32_t skip_shuffle_from(uint32_t i, uint32_t way)
{
    (void)way;
    return i == 0 ? 7 : i == 1 ? 0 : i; /* an H100 gives 0 for a lane that takes no part */
}
static uint32_t skip_syncwarp(uint32_t i, uint32_t way)
{
    (void)way;
    return i + 1;
}
static uint32_t two_against_one(uint32_t i, uint32_t way)
{
    (void)way;
    return i ? i + 1 : 3;
}
static uint32_t skip_rounds(uint32_t i, uint32_t way)
{
    uint32_t v = 0;
    (void)way;
    for (uint32_t k = 0; k < 1 + i % 4; k++) v = v * 10 + 32 - 8 * k; /* eight leave after each round */
    return v;
}
static uint32_t skip_sum(uint32_t i, uint32_t way)
{
    (void)way;
    uint32_t sum = 0;
    /* the sum of this lane and those above it among the first eight; lanes that skipped give 0 */
    for (uint32_t k = i; k < 8; k++) sum += k + 1;
    return i < 8 ? sum : i + 1;
}

enum { REMARK = 1, HANGS = 2 };
static const struct row {
    const char *name;
    answer *expected; /* NULL: checked by code of its own, or not at all */
    uint32_t way[4];  /* the lanes on each path; all others take the last */
    int flags;        /* from 7.0 on: REMARK, HANGS */
} rows[] = {
    {"arms_syncwarp", NULL, {0xffff}, 0},
    {"arms_shuffle", arms_shuffle, {0x55555555}, 0},
    {"arms_ballot", arms_ballot, {0xffff}, 0},
    {"arms_all", arms_all, {0x1f}, 0},
    {"arms_match", arms_match, {0x0f0f0f0f}, 0},
    {"arms_match_all", arms_match_all, {0xfffff}, 0},
    {"arms_reduce", arms_reduce, {0x3ff}, 0},
    {"nested", nested, {0x11111111, 0x22222222, 0x44444444}, 0},
    {"loops", loops, {0xffff}, 0},
    {"groups", groups, {0xffff}, 0},
    {"groups_in_turn", groups_in_turn, {0xffffff}, 0},
    {"inlined", inlined, {0x49249249}, 0},
    {"called", called, {0xffff}, 0},
    {"called_deeper", called_deeper, {0xffff}, 0},
    {"ended", ended, {0x555555, 0xaaaaaa}, 0},
    {"one_after_the_other", one_after_the_other, {1}, 0},
    {"skip_all", skip_all, {1}, REMARK},
    {"skip_ballot", skip_ballot, {1}, REMARK},
    {"skip_shuffle", skip_shuffle, {1}, REMARK},
    {"skip_shuffle_from", skip_shuffle_from, {1}, REMARK},
    {"skip_syncwarp", skip_syncwarp, {1}, REMARK},
    {"two_against_one", two_against_one, {1}, 0},
    {"skip_rounds", skip_rounds, {0}, REMARK},
    {"skip_sum", skip_sum, {0xffffff00}, REMARK},
    {"hang_all_block", NULL, {0}, HANGS},
    {"hang_syncwarp_shuffle", NULL, {0}, HANGS},
    {"hang_shuffle_ballot", NULL, {0}, HANGS},
};

static uint32_t way_of(const struct row *r, uint32_t i)
{
    uint32_t rest = UINT32_MAX;
    for (int k = 0; k < 4; k++) {
        if (r->way[k] >> i & 1) return r->way[k];
        rest &= ~r->way[k];
    }
    return rest;
}

/* Both paths of arms_syncwarp, which add 100 and 200: each sees the other's addition, or the second
 * sees what the first has done. */
static bool arms_syncwarp(const uint32_t *out, bool meets)
{
    bool old[2] = {true, true}, new[2] = {true, true};
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t from = i ^ 16;
        old[i / 16] = old[i / 16] && out[i] == from;
        new[i / 16] = new[i / 16] && out[i] == from + (from < 16 ? 100 : 200);
    }
    return meets ? new[0] && new[1] : (old[0] && new[1]) || (new[0] && old[1]);
}

/* ---- runs ---- */

static const struct how {
    const char *name;
    bool timed;
    unsigned checks;
    uint64_t shuffle;
    int threads;
} hows[] = {
    {"", false, 0, 0, 1},
    {", checked", false, SIM_CHECK_ALL, 0, 1},
    {", timed", true, 0, 0, 1},
    {", timed and checked", true, SIM_CHECK_ALL, 0, 2},
    {", in shuffled order", false, 0, 77, 1},
    {", by two", false, 0, 0, 2},
};

/* Counts the remarks or faults of that kind; *first is where the first one is. */
static int count(const sim_result *r, enum sim_fault_kind kind, bool note, const sim_fault **first)
{
    int n = 0;
    for (int i = 0; i < r->fault_count; i++) {
        if (r->faults[i].kind != kind || r->faults[i].note != note) continue;
        if (!n++) *first = &r->faults[i];
    }
    return n;
}

static void run_row(sim *s, sim_module *m, uint64_t at, const char *card, const struct row *row, const struct how *how)
{
    const bool waits = sim_card_of(s)->cc_major >= 7;
    uint32_t out[3 * 32] = {0};
    char why[500] = "";
    sim_error e = {0};
    sim_result r;
    const sim_fault *f = NULL;
    sim_launch l = {.kernel = row->name,
                    .grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .params = &at,
                    .param_bytes = 8,
                    .timed = how->timed,
                    .checks = how->checks,
                    .shuffle = how->shuffle,
                    .host_threads = how->threads,
                    .max_instructions = 1000000};
    sim_write(s, at, out, sizeof out, &e);
    if (sim_run(s, m, &l, &r, &e)) {
        one_case(false, row->name, card, how->name, e.message);
        return;
    }
    sim_read(s, at, out, sizeof out, &e);
    if (waits && row->flags & HANGS) {
        if (r.code != SIM_E_FAULT || count(&r, SIM_FAULT_DEADLOCK, false, &f) != 1)
            snprintf(why, sizeof why, "is no deadlock");
    } else if (r.code) {
        snprintf(why, sizeof why, "%s", r.fault_count ? r.faults[0].message : "did not end");
        /* the two paths are not ordered there */
        if (!waits && r.fault_count && r.faults[0].kind == SIM_FAULT_RACE) *why = 0;
    } else {
        const int remarks = count(&r, SIM_FAULT_WARP_APART, true, &f), least = !waits || row->flags & REMARK;
        if (least ? remarks < 1 : remarks)
            snprintf(why, sizeof why, "%d remarks%s%s", remarks, f ? ": " : "", f ? f->message : "");
        if (f && (!f->at.line || !f->at.lanes || !strstr(f->message, waits ? "undefined" : "does not wait")))
            snprintf(why, sizeof why, "remark: %s", f->message);
        if (!row->expected && !(row->flags & HANGS) && !arms_syncwarp(out, waits))
            snprintf(why, sizeof why, "lane 0 has %u, lane 16 has %u", out[0], out[16]);
    }
    for (uint32_t i = 0; i < 32 && row->expected && !*why; i++) {
        const uint32_t expected = row->expected(i, waits ? UINT32_MAX : way_of(row, i));
        if (out[i] != expected) snprintf(why, sizeof why, "lane %u has %u, not %u", i, out[i], expected);
    }
    one_case(!*why, row->name, card, how->name, why);
    sim_result_free(&r);
}

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

int main(void)
{
    static const char *const cards[] = {"h200", "h100", "rtx2070", "gtx1050", "8800gt"};
    size_t bytes, ptx_bytes;
    char *ptx = read_file("tests/machine/apart.ptx", &ptx_bytes);
    for (size_t c = 0; c < sizeof cards / sizeof cards[0]; c++) {
        char path[64];
        sim *s;
        sim_module *m;
        sim_card card;
        sim_error e = {0};
        uint64_t at;
        snprintf(path, sizeof path, "sim/cards/%s.card", cards[c]);
        char *text = read_file(path, &bytes);
        if (sim_card_read(&card, text, cards[c], &e) || sim_open(&s, &card, &e) ||
            sim_load(s, "apart.ptx", ptx, ptx_bytes, &m, &e) || sim_alloc(s, 3 * 32 * 4, "out", &at, &e)) {
            printf("FAIL setup: %s:%d: %s\n", e.file, e.line, e.message);
            return 1;
        }
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            for (size_t k = 0; k < sizeof hows / sizeof hows[0]; k++) run_row(s, m, at, cards[c], &rows[i], &hows[k]);
        sim_close(s);
        free(text);
    }
    free(ptx);
    return check_end();
}
