/* card.c: the card as a list of values, changing one of them, occupancy by each limit, and the
 * host's times. All expected numbers are worked out by hand. */
#include "sim.h"
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[65536];

static sim_card read_card(const char *name)
{
    char path[80];
    sim_card c = {.name = ""};
    sim_error e = {0};
    snprintf(path, sizeof path, "sim/cards/%s.card", name);
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    if (!n || sim_card_read(&c, text, name, &e)) {
        printf("FAIL %s: %s\n", path, e.message);
        exit(1);
    }
    return c;
}

static sim_card_value value[256];

static const sim_card_value *find(const sim_card *c, const char *key)
{
    int n = sim_card_values(c, text, value, 256);
    for (int i = 0; i < n; i++)
        if (!strcmp(value[i].key, key)) return &value[i];
    return NULL;
}

static void values(void)
{
    sim_card c = read_card("8800gt");
    const sim_card_value *v = find(&c, "multiprocessors");
    check(v && !strcmp(v->value, "14") && v->given && !v->changed && !strcmp(v->source, "D"),
          "a value is listed with its source");
    v = find(&c, "title");
    check(v && !strcmp(v->value, "GeForce 8800 GT"), "so is the title");
    v = find(&c, "time.l2_bytes");
    check(v && v->number == 0 && !v->given && *v->meaning, "a row left out has what stands for it");
    sim_error e = {0};
    double before = c.timing.dram_latency;
    check(!sim_card_set(&c, "dram.latency", "2x", &e) && c.timing.dram_latency == 2 * before,
          "twice the latency, by its short name");
    v = find(&c, "time.dram_latency");
    check(v && v->changed && v->number == 2 * before, "the list says that it was changed");
    check(!sim_card_set(&c, "time.dram_latency", "300.5", &e) && c.timing.dram_latency == 300.5, "a plain number");
    check(!sim_card_set(&c, "multiprocessors", "0.5x", &e) && c.multiprocessors == 7, "half the multiprocessors");
    check(!sim_card_set(&c, "host.pageable", "4", &e) && c.host.pageable == 4, "the host's side");
    static const char *const wrong[][2] = {{"dram_latency", "x"},
                                           {"dram_latency", ""},
                                           {"dram_latency", "-1"},
                                           {"dram_latency", "nan"},
                                           {"dram_latency", "1e9"},
                                           {"dram_latency", "2xx"},
                                           {"dram_latency", "nanx"},
                                           {"multiprocessors", "0"},
                                           {"multiprocessors", "1.5"},
                                           {"multiprocessors", "1e6x"},
                                           {"title", "x"},
                                           {"nosuch", "1"},
                                           {"", "1"},
                                           {"dram", "1"},
                                           {"dram_latency_", "1"},
                                           {"partitions", "1000"}};
    bool all = true;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sim_card was = c;
        bool refused = sim_card_set(&c, wrong[i][0], wrong[i][1], &e) && *e.message && !memcmp(&was, &c, sizeof c);
        if (!refused) printf("took %s %s\n", wrong[i][0], wrong[i][1]);
        all = all && refused;
    }
    check(all, "what is no value is refused and changes nothing");
    check(sim_card_values(&c, NULL, value, 3) > 50, "a short room is not overrun, the count is of all");
}

static sim_occupancy occupancy(const sim_card *c, int registers, uint32_t grid, uint32_t threads, uint32_t shared)
{
    sim_kernel k = {.name = "k", .registers = registers};
    sim_occupancy o;
    sim_occupancy_of(c, &k, (uint32_t[3]){grid, 1, 1}, (uint32_t[3]){threads, 1, 1}, shared, &o);
    return o;
}

static void limits(void)
{
    sim_card c = read_card("8800gt");
    sim_occupancy o = occupancy(&c, 10, 100, 256, 0); /* 24 warps: three blocks of 8; 8192 / 2560 = 3 */
    check(o.blocks == 3 && o.limit == SIM_LIMIT_THREADS && o.fit[SIM_LIMIT_REGISTERS] == 3,
          "8800gt: 256 threads, three blocks");
    o = occupancy(&c, 16, 100, 256, 0); /* 4096 each */
    check(o.blocks == 2 && o.limit == SIM_LIMIT_REGISTERS, "8800gt: 16 registers allow 512 threads");
    o = occupancy(&c, 20, 100, 256, 0); /* 5120 each */
    check(o.blocks == 1 && o.limit == SIM_LIMIT_REGISTERS, "8800gt: 20 registers, one block of 256");
    o = occupancy(&c, 8, 100, 32, 0);
    check(o.blocks == 8 && o.limit == SIM_LIMIT_BLOCKS, "8800gt: small blocks, at most 8");
    o = occupancy(&c, 8, 100, 64, 4000); /* 4016 rounds to 4096: four */
    check(o.blocks == 4 && o.limit == SIM_LIMIT_SHARED && o.shared_bytes == 4096,
          "8800gt: 4000 bytes of shared memory, four blocks");
    o = occupancy(&c, 8, 100, 64, 4096); /* 4112 rounds to 4608: three */
    check(o.blocks == 3 && o.limit == SIM_LIMIT_SHARED, "8800gt: 4096 bytes, three, since a block has 16 more");
    o = occupancy(&c, 8, 15, 256, 0); /* 15 blocks on 14 multiprocessors: two on one of them */
    check(o.busy_multiprocessors == 14 && o.grid_warps == 16, "a grid that does not fill the card");
    o = occupancy(&c, 8, 1, 513, 0);
    check(o.blocks == 0, "a launch that the card refuses");
    c = read_card("h200");
    o = occupancy(&c, 32, 10000, 256, 0); /* 64 warps: 8 blocks; 65536 / 1024 / 8 = 8 */
    check(o.blocks == 8 && o.max_warps == 64 && o.limit == SIM_LIMIT_THREADS, "h200: full at 32 registers");
    o = occupancy(&c, 33, 10000, 256, 0); /* 33 * 32 = 1056, rounds to 1280: 51 warps, 6 blocks */
    check(o.blocks == 6 && o.limit == SIM_LIMIT_REGISTERS, "h200: one register more, 6 blocks");
    o = occupancy(&c, 20, 10000, 64, 0);
    check(o.blocks == 32 && o.limit == SIM_LIMIT_THREADS, "h200: 64 threads reach both limits");
    o = occupancy(&c, 20, 10000, 32, 0);
    check(o.blocks == 32 && o.limit == SIM_LIMIT_BLOCKS && o.fit[SIM_LIMIT_THREADS] == 64,
          "h200: one warp a block, half full");
    o = occupancy(&c, 20, 10000, 256, 48 * 1024); /* 49 KB each of 228 */
    check(o.blocks == 4 && o.limit == SIM_LIMIT_SHARED, "h200: 48 KB of shared memory, four blocks");
}

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

static void host(void)
{
    sim_card c = read_card("8800gt");
    c.host = (sim_host){.pinned = 2,
                        .pageable = 1,
                        .copy_us = 10,
                        .alloc_us = 5,
                        .kernel_us = 1,
                        .launch_us = 3,
                        .start_ms = 20,
                        .tick_ms = 15.625};
    check(near(sim_host_time_copy(&c, 1000000, false), 0.001010) &&
              near(sim_host_time_copy(&c, 1000000, true), 0.000510),
          "copies");
    check(near(sim_host_time_start(&c), 0.020) && near(sim_host_time_alloc(&c, 1), 5e-6) &&
              near(sim_host_time_launch(&c), 3e-6),
          "start, allocation, launch");
    check(near(sim_host_time_kernel(&c, 1500000, 2), 0.001002),
          "two kernels: their cycles, and twice what each takes besides");
}

/* Every row of keys.def that is a time or a rate belongs to a limit, even when no card sets it.
 * NONE marks rows that describe what a card has. */
static void rows(void)
{
    static const struct row {
        const char *key, *lift, *by, *unit;
    } all[] = {
#define TIME(field, lift, by, unit, meaning)                                    {#field, #lift, by, unit},
#define TIME_INT(field, lift, by, least, most, unit, meaning)                   {#field, #lift, by, unit},
#define TIME_OPTION(field, lift, by, otherwise, unit, meaning)                  {#field, #lift, by, unit},
#define TIME_INT_OPTION(field, lift, by, least, most, otherwise, unit, meaning) {#field, #lift, by, unit},
#include "keys.def"
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const bool counts = strstr(all[i].unit, "clocks") || strstr(all[i].unit, "a clock"),
                   lifted = strcmp(all[i].lift, "NONE") != 0;
        char what[120];
        snprintf(what, sizeof what, "%s: what is counted in %s belongs to a limit", all[i].key,
                 *all[i].unit ? all[i].unit : "nothing");
        check(lifted == (*all[i].by != 0) && (lifted || !counts), what);
    }
}

/* The changes that `why` makes: every card accepts each of them, and every key that is a time or a
 * rate belongs to a limit. */
static void lifts(void)
{
    static const char *const cards[] = {"8800gt", "gtx1050", "rtx2070", "h100", "h200"};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        sim_card all = read_card(cards[i]);
        const sim_card before = all;
        char what[200], changes[1024];
        for (int lift = SIM_LIFT_NONE + 1; lift < SIM_LIFTS; lift++) {
            sim_error e = {0};
            bool good = sim_lift_changes((enum sim_lift)lift, changes, sizeof changes) < 400 && *changes &&
                        *sim_lift_without((enum sim_lift)lift);
            for (char *one = strtok(changes, " "); one && good; one = strtok(NULL, " ")) {
                char *value_of = strchr(one, '=');
                good = value_of != NULL;
                if (!good) break;
                *value_of++ = 0;
                good = !sim_card_set(&all, one, value_of, &e);
            }
            snprintf(what, sizeof what, "%s without %s %.80s", cards[i], sim_lift_without((enum sim_lift)lift),
                     e.message);
            check(good, what);
        }
        static sim_card_value was[256];
        const int n = sim_card_values(&before, NULL, was, 256);
        sim_card_values(&all, NULL, value, 256);
        for (int k = 0; k < n; k++) {
            const bool time = !strncmp(was[k].key, "time.", 5) && !strcmp(was[k].unit, "clocks"),
                       rate = !strcmp(was[k].unit, "bytes per clock");
            if (!(time || rate) || was[k].number == 0) continue;
            snprintf(what, sizeof what, "%s on %s belongs to a limit", was[k].key, cards[i]);
            check(time ? value[k].number < was[k].number : value[k].number > was[k].number, what);
        }
    }
}

int main(void)
{
    values();
    limits();
    rows();
    lifts();
    host();
    return check_end();
}
