/* card.c: reads a card file: one `key: value` a line, `#` starts a comment. Every key of the table below must be
 * there once; those of the clock, time.*, may be left out together.
 *
 * The comment behind a value says where it comes from: D vendor document, M measured, R recalled from a published paper,
 * F fitted, G guess.
 */
#include "../base.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum key_kind { KEY_TEXT, KEY_INT, KEY_LONG, KEY_BYTES, KEY_CLOCKS };
static const struct key {
    const char *name;
    enum key_kind kind;
    size_t offset, size;
    long long least, most;
} keys[] = {
#define TEXT(f) {#f, KEY_TEXT, offsetof(sim_card, f), sizeof(((sim_card *)0)->f), 0, 0}
#define INT(f, least, most) {#f, KEY_INT, offsetof(sim_card, f), sizeof(int), least, most}
#define LONG(f, least, most) {#f, KEY_LONG, offsetof(sim_card, f), sizeof(long long), least, most}
    TEXT(title),
    INT(cc_major, 1, 99),
    INT(cc_minor, 0, 9),
    INT(multiprocessors, 1, 4096),
    INT(max_threads_per_block, 32, 1024),
    INT(max_threads_per_mp, 32, 65536),
    INT(max_blocks_per_mp, 1, 1024),
    INT(max_warps_per_mp, 1, 2048),
    INT(registers_per_mp, 1024, 1 << 24),
    INT(max_registers_per_thread, 16, 1024),
    INT(shared_per_block, 1024, 1 << 24),
    INT(shared_per_mp, 1024, 1 << 24),
    INT(banks, 16, 32),
    LONG(max_grid_x, 1, 2147483647),
    LONG(max_grid_y, 1, 65535),
    LONG(max_grid_z, 1, 65535),
    INT(max_block_x, 1, 1024),
    INT(max_block_y, 1, 1024),
    INT(max_block_z, 1, 1024),
    INT(clock_khz, 1000, 10000000),
#define CLOCKS(f) {"time." #f, KEY_CLOCKS, offsetof(sim_card, timing.f), sizeof(double), 0, 1000000}
#define TIME_INT(f, least, most) {"time." #f, KEY_INT, offsetof(sim_card, timing.f), sizeof(int), least, most}
    CLOCKS(issue), CLOCKS(latency), CLOCKS(multiply_issue), CLOCKS(multiply_latency), CLOCKS(divide_issue), CLOCKS(divide_latency),
    CLOCKS(special_issue), CLOCKS(special_latency), CLOCKS(double_issue), CLOCKS(double_latency), CLOCKS(branch_latency),
    CLOCKS(barrier_latency), CLOCKS(shared_latency), CLOCKS(shared_pass), CLOCKS(memory_latency), CLOCKS(port_transaction),
    CLOCKS(port_coalesced), CLOCKS(dram_bytes), CLOCKS(block_start),
    TIME_INT(partitions, 1, 16), TIME_INT(partition_bytes, 32, 65536), TIME_INT(address_bits, 32, 64),
    {"memory_bytes", KEY_BYTES, offsetof(sim_card, memory_bytes), 8, 1 << 20, 1LL << 48},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

/* The keys of the clock: all of them or none. */
static bool is_time(const struct key *k) { return !strncmp(k->name, "time.", 5); }

static int bad(sim_error *err, const char *name, int line, const char *what)
{
    sim_fail(err, SIM_E_SYNTAX, "%s", what);
    if (err) {
        snprintf(err->file, sizeof err->file, "%s", name);
        err->line = line;
    }
    sim_hint(err, "A card file has one `key: value` a line; see the cards that come with the program.");
    return SIM_E_SYNTAX;
}

static int set(sim_card *out, const struct key *k, const char *value, const char *name, int line, sim_error *err)
{
    char text[160], *end;
    char *at = (char *)out + k->offset;
    if (k->kind == KEY_TEXT) {
        snprintf(at, k->size, "%s", value);
        return *value ? SIM_OK : bad(err, name, line, "a text is expected after the key");
    }
    if (k->kind == KEY_CLOCKS) {
        double d = strtod(value, &end);
        if (end == value || *end || !(d >= 0 && d <= (double)k->most)) {
            snprintf(text, sizeof text, "%s must be a number from 0 to %lld", k->name, k->most);
            return bad(err, name, line, text);
        }
        memcpy(at, &d, sizeof d);
        return SIM_OK;
    }
    long long v = strtoll(value, &end, 10);
    if (end == value || *end || v < k->least || v > k->most) {
        snprintf(text, sizeof text, "%s must be a whole number from %lld to %lld", k->name, k->least, k->most);
        return bad(err, name, line, text);
    }
    if (k->kind == KEY_INT) {
        int i = (int)v;
        memcpy(at, &i, sizeof i);
    } else if (k->kind == KEY_LONG) {
        memcpy(at, &v, sizeof v);
    } else {
        uint64_t u = (uint64_t)v;
        memcpy(at, &u, sizeof u);
    }
    return SIM_OK;
}

int sim_card_read(sim_card *out, const char *text, const char *name, sim_error *err)
{
    char what[160];
    bool seen[KEYS] = {false};
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", name);
    int line = 0;
    for (const char *p = text; *p;) {
        char buffer[256];
        size_t n = strcspn(p, "\n");
        line++;
        if (n >= sizeof buffer) return bad(err, name, line, "the line is too long");
        memcpy(buffer, p, n);
        buffer[n] = 0;
        p += n + (p[n] == '\n');
        buffer[strcspn(buffer, "#")] = 0;
        char *s = buffer, *e = buffer + strlen(buffer);
        while (e > s && isspace((unsigned char)e[-1])) *--e = 0;
        while (isspace((unsigned char)*s)) s++;
        if (!*s) continue;
        char *colon = strchr(s, ':');
        if (!colon) return bad(err, name, line, "`key: value` is expected");
        *colon = 0;
        char *value = colon + 1;
        while (isspace((unsigned char)*value)) value++;
        int k = 0;
        while (k < (int)KEYS && strcmp(keys[k].name, s)) k++;
        if (k == (int)KEYS || seen[k]) {
            snprintf(what, sizeof what, "`%.100s` is %s", s, k == (int)KEYS ? "no key of a card" : "given twice");
            return bad(err, name, line, what);
        }
        seen[k] = true;
        int code = set(out, &keys[k], value, name, line, err);
        if (code) return code;
    }
    for (int k = 0; k < (int)KEYS; k++) out->timing.known |= seen[k] && is_time(&keys[k]);
    for (int k = 0; k < (int)KEYS; k++)
        if (!seen[k] && (out->timing.known || !is_time(&keys[k]))) {
            snprintf(what, sizeof what, "the card lacks `%s`", keys[k].name);
            return bad(err, name, 0, what);
        }
    return SIM_OK;
}
