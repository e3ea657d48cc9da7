/* meets.c: which lanes of a warp are together where ways come together again (code/meet.c).
 *
 * The programs are in tests/machine/meets.h. Here each thread goes through them alone, and what it sees is noted: all threads that come by a point in the same turn must
 * have been there together in the simulator, and nobody else. That is what a card does with the same kernels (tests/gpu/card.sh; seen on an H100).
 */
#include "sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 8, POINTS = 16, CELLS = TURNS * TURNS * POINTS * 32 };
static uint32_t expected[CELLS], seen[CELLS];
static int failures;

static void note(unsigned turn, unsigned point, unsigned lane, unsigned way) { expected[(turn * POINTS + point) * 32 + lane] = way + 1; }

#define PLACE
#define PROGRAM(name) static void name(unsigned lane, unsigned turns)
#define SEE(p) SEE_APART(p, 0)
#define SEE_APART(p, way) note(turn, p, lane, way)
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter" /* programs without loops have no turns */
#endif
#include "../machine/meets.h"

static const struct { const char *name; void (*program)(unsigned lane, unsigned turns); } programs[] = {
    {"either", either},         {"either_both", either_both}, {"turn_off", turn_off},       {"turn_off_twice", turn_off_twice}, {"turn_off_far", turn_off_far},
    {"end_early", end_early},   {"leave_loop", leave_loop},   {"next_turn", next_turn},     {"leave_inner", leave_inner},       {"leave_both", leave_both},
    {"leave_endless", leave_endless}, {"leave_to_two", leave_to_two}, {"leave_switch", leave_switch},
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

/* Where it is not as expected, in words; "" nowhere. */
static void compare(char *why, size_t room)
{
    *why = 0;
    for (unsigned i = 0; i < CELLS && !*why; i += 32)
        for (unsigned lane = 0; lane < 32 && !*why; lane++) {
            uint32_t together = 0;
            for (unsigned l = 0; l < 32 && expected[i + lane]; l++) together |= (uint32_t)(expected[i + l] == expected[i + lane]) << l;
            if (seen[i + lane] != together)
                snprintf(why, room, "turn %u, point %u: lane %u was with 0x%08x, not 0x%08x", i / 32 / POINTS, i / 32 % POINTS, lane, (unsigned)seen[i + lane], (unsigned)together);
        }
}

int main(void)
{
    sim *s;
    sim_module *m;
    sim_error e = {0};
    sim_card c;
    size_t bytes, card_bytes;
    uint64_t at;
    char *card = read_file("sim/cards/h200.card", &card_bytes), *text = read_file("tests/machine/meets.ptx", &bytes);
    if (sim_card_read(&c, card, "h200", &e) || sim_open(&s, &c, &e) || sim_load(s, "meets.ptx", text, bytes, &m, &e) || sim_alloc(s, sizeof seen, "seen", &at, &e)) {
        printf("FAIL setup: %s:%d: %s\n", e.file, e.line, e.message);
        return 1;
    }
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        for (int timed = 0; timed < 2; timed++) { /* rounds of the run loop are others then */
            struct { uint64_t seen; uint32_t turns; } p = {at, TURNS};
            sim_launch l = {.kernel = programs[i].name, .grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &p, .param_bytes = 12, .timed = timed, .max_instructions = 1000000};
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
            printf(*why ? "FAIL %s%s: %s\n" : "ok %s%s%s\n", programs[i].name, timed ? ", timed" : "", why);
            failures += *why != 0;
        }
    sim_close(s);
    free(card);
    free(text);
    return failures != 0;
}
