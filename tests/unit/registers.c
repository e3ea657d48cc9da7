/* registers.c: the estimate of registers per thread keeps to what the card and the kernel's own bounds allow,
 * and alone refuses no launch that may fit. */
#include "sim.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 400 };
/* A kernel that loads so many numbers, and writes them when all have been there: none can be let go before. */
static char *text_of(const char *bounds)
{
    char *text = malloc(1 << 16), *at = text;
    if (!text) exit(1);
    at +=
        sprintf(at, ".version 8.3\n.target sm_52\n.address_size 64\n.visible .entry k(.param .u64 p)\n%s\n{\n", bounds);
    at += sprintf(at, ".reg .b64 %%rd<4>; .reg .b32 %%r<%d>;\nld.param.u64 %%rd1, [p];\n", HELD);
    for (int i = 0; i < HELD; i++) at += sprintf(at, "ld.global.u32 %%r%d, [%%rd1+%d];\n", i, 4 * i);
    at += sprintf(at, "bar.sync 0;\n");
    for (int i = 0; i < HELD; i++) at += sprintf(at, "st.global.u32 [%%rd1+%d], %%r%d;\n", 4 * (HELD - 1 - i), i);
    sprintf(at, "ret;\n}\n");
    return text;
}

static sim *open_card(const char *file)
{
    static char card_text[1 << 16];
    sim_card card;
    sim_error e;
    sim *s = NULL;
    FILE *f = fopen(file, "rb");
    const size_t n = f ? fread(card_text, 1, sizeof card_text - 1, f) : 0;
    if (f) fclose(f);
    card_text[n] = 0;
    if (sim_card_read(&card, card_text, file, &e) || sim_open(&s, &card, &e)) {
        printf("FAIL %s: %s\n", file, e.message);
        exit(1);
    }
    return s;
}

/* `most`: registers that a multiprocessor has, for each thread of as many blocks as the bounds want, in units of 8. */
static const struct bounds {
    const char *card, *said;
    uint32_t threads;
    int blocks, most;
} rows[] = {
    {"h200", "", 0, 0, 255},
    {"h200", ".maxntid 1024, 1, 1", 1024, 1, 64},                 /* 65536 / 1024 */
    {"h200", ".maxntid 256, 2, 1\n.minnctapersm 2", 512, 2, 64},  /* 65536 / 1024 */
    {"h200", ".maxntid 96, 1, 1", 96, 1, 255},                    /* 682 */
    {"h200", ".maxntid 128, 1, 1\n.minnctapersm 4", 128, 4, 128}, /* 65536 / 512 */
    {"h200", ".reqntid 512, 1, 1", 512, 1, 128},                  /* 65536 / 512 */
    {"h200", ".maxnreg 100", 0, 0, 100},
    {"h200", ".maxntid 1024, 1, 1\n.maxnreg 200", 1024, 1, 64},
    {"h200", ".maxnreg 300", 0, 0, 255},
    {"rtx2070", "", 0, 0, 255},
    {"gtx1050", ".maxntid 768, 1, 1", 768, 1, 80},               /* 85 */
    {"8800gt", "", 0, 0, 124},                                   /* the most of compute 1.x */
    {"8800gt", ".maxntid 512, 1, 1", 512, 1, 16},                /* 8192 / 512 */
    {"8800gt", ".maxntid 64, 1, 1\n.minnctapersm 2", 64, 2, 64}, /* 8192 / 128 */
};

static void keeps_to(const struct bounds *b)
{
    char file[100];
    sim_error e;
    sim_module *m;
    sim_occupancy o;
    snprintf(file, sizeof file, "sim/cards/%s.card", b->card);
    sim *s = open_card(file);
    char *text = text_of(b->said);
    if (sim_load(s, "k", text, strlen(text), &m, &e)) {
        printf("FAIL %s: %s\n", b->said, e.message);
        exit(1);
    }
    const sim_kernel *k = sim_kernel_named(m, "k");
    check_that(k->registers == b->most, "%s, %s: %d, expected %d", b->card, b->said, (int)k->registers,
               (int)b->most); /* it would take them all */
    check_that(k->registers_least >= 1 && k->registers_least <= k->registers, "%s, %s: %d, expected %d", "the least",
               b->said, (int)k->registers_least, (int)k->registers);
    if (b->threads) {
        sim_occupancy_of(sim_card_of(s), k, (uint32_t[3]){1000, 1, 1}, (uint32_t[3]){b->threads, 1, 1}, 0, &o);
        check_that(o.blocks >= b->blocks, "%s, %s: %d, expected %d", "blocks", b->said, (int)o.blocks, (int)b->blocks);
        check_that(!o.estimate, "%s, %s: %d, expected %d", "as estimated", b->said, (int)o.estimate, (int)0);
    }
    sim_close(s);
    free(text);
}

/* An estimate that is off by no more than its error (registers.c) lets one block run; one that is off by more does
 * not; a number that is known is none. */
static void refuses(void)
{
    sim *s = open_card("sim/cards/h200.card");
    sim_kernel k = {.registers = 94, .registers_least = 36};
    sim_occupancy o;
    const uint32_t grid[3] = {1, 1, 1}, size[3] = {1024, 1, 1};
    sim_occupancy_of(sim_card_of(s), &k, grid, size, 0, &o);
    check_that(o.blocks == 1 && o.registers == 64 && o.estimate == 94, "%s, %s: %d, expected %d", "an estimate",
               "94 of 64", (int)o.registers, (int)64);
    k.registers_least = 65;
    sim_occupancy_of(sim_card_of(s), &k, grid, size, 0, &o);
    check_that(!o.blocks && !o.estimate, "%s, %s: %d, expected %d", "an estimate", "65 of 64", (int)o.blocks, (int)0);
    k.registers_least = 0;
    sim_occupancy_of(sim_card_of(s), &k, grid, size, 0, &o);
    check_that(!o.blocks && !o.estimate, "%s, %s: %d, expected %d", "known", "94 of 64", (int)o.blocks, (int)0);
    k.registers = 64, k.registers_least = 25;
    sim_occupancy_of(sim_card_of(s), &k, grid, size, 0, &o);
    check_that(o.blocks == 1 && o.registers == 64 && !o.estimate, "%s, %s: %d, expected %d", "it fits", "64 of 64",
               (int)o.registers, (int)64);
    sim_close(s);
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) keeps_to(&rows[i]);
    refuses();
    return check_end();
}
