/* card.c: reads a card file: one `key: value` per line, `#` starts a comment. The keys are the rows
 * of keys.def. Those of the clock, time.*, may be left out together.
 *
 * The comment after a value says where it comes from: D vendor document, M measured, R recalled
 * from a published paper, F fitted, G guess.
 */
#include "base.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum key_kind { KEY_TEXT, KEY_INT, KEY_LONG, KEY_BYTES, KEY_REAL };
enum key_need { NEED_ALWAYS, NEED_WITH_CLOCK, NEED_NOT };
static const struct key {
    const char *name;
    enum key_kind kind;
    enum key_need need;
    size_t offset;
    long long least, most;
    double otherwise;
    const char *unit, *meaning;
} keys[] = {
    {"title", KEY_TEXT, NEED_ALWAYS, offsetof(sim_card, title), 0, 0, 0, "", "the card's name"},
#define CARD_INT(f, least, most, unit, meaning) \
    {#f, KEY_INT, NEED_ALWAYS, offsetof(sim_card, f), least, most, 0, unit, meaning},
#define CARD_LONG(f, least, most, unit, meaning) \
    {#f, KEY_LONG, NEED_ALWAYS, offsetof(sim_card, f), least, most, 0, unit, meaning},
#define CARD_OPTION(f, least, most, otherwise, unit, meaning) \
    {#f, KEY_INT, NEED_NOT, offsetof(sim_card, f), least, most, otherwise, unit, meaning},
#define TIME(f, lift, by, unit, meaning) \
    {"time." #f, KEY_REAL, NEED_WITH_CLOCK, offsetof(sim_card, timing.f), 0, 1000000, 0, unit, meaning},
#define TIME_OPTION(f, lift, by, otherwise, unit, meaning) \
    {"time." #f, KEY_REAL, NEED_NOT, offsetof(sim_card, timing.f), 0, 1000000, otherwise, unit, meaning},
#define TIME_INT(f, lift, by, least, most, unit, meaning) \
    {"time." #f, KEY_INT, NEED_WITH_CLOCK, offsetof(sim_card, timing.f), least, most, 0, unit, meaning},
#define TIME_INT_OPTION(f, lift, by, least, most, otherwise, unit, meaning) \
    {"time." #f, KEY_INT, NEED_NOT, offsetof(sim_card, timing.f), least, most, otherwise, unit, meaning},
#define HOST_OPTION(f, otherwise, unit, meaning) \
    {"host." #f, KEY_REAL, NEED_NOT, offsetof(sim_card, host.f), 0, 1000000, otherwise, unit, meaning},
#include "keys.def"
    {"memory_bytes", KEY_BYTES, NEED_ALWAYS, offsetof(sim_card, memory_bytes), 1 << 20, 1LL << 48, 0, "bytes",
     "of memory"},
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
    sim_hint(err, "A card file has one `key: value` per line; see the cards that come with the program.");
    return SIM_E_SYNTAX;
}

/* A value in the key's range; false: *text says what is expected. */
static bool parse(const struct key *k, const char *value, double *out, char *text, size_t size)
{
    char *end;
    bool real = k->kind == KEY_REAL;
    double d = strtod(value, &end);
    if (end != value && !*end && d >= (double)k->least && d <= (double)k->most && (real || d == (double)(long long)d)) {
        *out = d;
        return true;
    }
    snprintf(text, size, "%s must be a %s from %lld to %lld", k->name, real ? "number" : "whole number", k->least,
             k->most);
    return false;
}

static void put(sim_card *card, const struct key *k, double d)
{
    char *at = (char *)card + k->offset;
    int i = (int)d;
    long long l = (long long)d;
    uint64_t u = (uint64_t)d;
    switch (k->kind) {
    case KEY_TEXT: break;
    case KEY_INT: memcpy(at, &i, sizeof i); break;
    case KEY_LONG: memcpy(at, &l, sizeof l); break;
    case KEY_BYTES: memcpy(at, &u, sizeof u); break;
    case KEY_REAL: memcpy(at, &d, sizeof d); break;
    }
}

static double get(const sim_card *card, const struct key *k)
{
    const char *at = (const char *)card + k->offset;
    int i;
    long long l;
    uint64_t u;
    double d = 0;
    switch (k->kind) {
    case KEY_TEXT: break;
    case KEY_INT: memcpy(&i, at, sizeof i); return i;
    case KEY_LONG: memcpy(&l, at, sizeof l); return (double)l;
    case KEY_BYTES: memcpy(&u, at, sizeof u); return (double)u;
    case KEY_REAL: memcpy(&d, at, sizeof d); break;
    }
    return d;
}

/* One line of a card file, cut in place: what comes before the colon and after it, and the
 * comment. */
struct row {
    char *key, *value, *comment;
};

static char *trim(char *s)
{
    char *e = s + strlen(s);
    while (e > s && isspace((unsigned char)e[-1])) *--e = 0;
    while (isspace((unsigned char)*s)) s++;
    return s;
}

/* False: the line is empty, or has no colon (then r->key says what is on it). */
static bool cut(char *line, struct row *r)
{
    size_t n = strcspn(line, "#");
    r->comment = line[n] ? trim(line + n + 1) : line + n;
    line[n] = 0;
    r->key = trim(line);
    char *colon = strchr(r->key, ':');
    if (!colon) return false;
    *colon = 0;
    r->value = trim(colon + 1);
    r->key = trim(r->key);
    return true;
}

/* `source`: KEYS texts of `width` bytes for the comments, or NULL. */
static int read_card(sim_card *out, const char *text, const char *name, bool *seen, char *source, size_t width,
                     sim_error *err)
{
    char what[160];
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", name);
    for (int k = 0; k < (int)KEYS; k++)
        if (keys[k].need == NEED_NOT) put(out, &keys[k], keys[k].otherwise);
    int line = 0;
    for (const char *p = text; *p;) {
        char buffer[256];
        struct row r;
        double d = 0;
        size_t n = strcspn(p, "\n");
        line++;
        if (n >= sizeof buffer) return bad(err, name, line, "the line is too long");
        memcpy(buffer, p, n);
        buffer[n] = 0;
        p += n + (p[n] == '\n');
        if (!cut(buffer, &r)) {
            if (*r.key) return bad(err, name, line, "`key: value` is expected");
            continue;
        }
        int k = 0;
        while (k < (int)KEYS && strcmp(keys[k].name, r.key)) k++;
        if (k == (int)KEYS || seen[k]) {
            snprintf(what, sizeof what, "`%.100s` is %s", r.key,
                     k == (int)KEYS ? "not a key of a card" : "given twice");
            return bad(err, name, line, what);
        }
        seen[k] = true;
        if (source) snprintf(source + (size_t)k * width, width, "%s", r.comment);
        if (keys[k].kind == KEY_TEXT) {
            if (!*r.value) return bad(err, name, line, "a text is expected after the key");
            snprintf(out->title, sizeof out->title, "%s", r.value);
        } else if (parse(&keys[k], r.value, &d, what, sizeof what)) {
            put(out, &keys[k], d);
        } else {
            return bad(err, name, line, what);
        }
    }
    for (int k = 0; k < (int)KEYS; k++) out->timing.known |= seen[k] && is_time(&keys[k]);
    for (int k = 0; k < (int)KEYS; k++)
        if (!seen[k] && (keys[k].need == NEED_ALWAYS || (keys[k].need == NEED_WITH_CLOCK && out->timing.known))) {
            snprintf(what, sizeof what, "the card lacks `%s`", keys[k].name);
            return bad(err, name, 0, what);
        }
    return SIM_OK;
}

int sim_card_read(sim_card *out, const char *text, const char *name, sim_error *err)
{
    bool seen[KEYS] = {false};
    return read_card(out, text, name, seen, NULL, 0, err);
}

int sim_card_values(const sim_card *card, const char *text, sim_card_value *out, int room)
{
    bool seen[KEYS] = {false};
    char source[KEYS][sizeof out->source];
    sim_card as_read;
    memset(source, 0, sizeof source);
    bool have = text && !read_card(&as_read, text, card->name, seen, source[0], sizeof source[0], NULL);
    for (int i = 0; i < (int)KEYS && i < room; i++) {
        const struct key *k = &keys[i];
        sim_card_value *v = &out[i];
        *v = (sim_card_value){
            .key = k->name, .unit = k->unit, .meaning = k->meaning, .number = get(card, k), .given = seen[i]};
        if (k->kind == KEY_TEXT) snprintf(v->value, sizeof v->value, "%s", card->title);
        else snprintf(v->value, sizeof v->value, "%.10g", v->number);
        if (k->kind != KEY_REAL && k->kind != KEY_TEXT)
            snprintf(v->value, sizeof v->value, "%lld", (long long)v->number);
        v->changed = have && k->kind != KEY_TEXT && v->number != get(&as_read, k);
        memcpy(v->source, source[i], sizeof v->source);
    }
    return KEYS;
}

/* "dram.latency" names time.dram_latency. */
static bool names(const struct key *k, const char *text)
{
    const char *name = k->name;
    if (is_time(k) && strncmp(text, "time.", 5)) name += 5;
    for (; *name && *text; name++, text++) {
        char a = *name == '.' ? '_' : *name, b = *text == '.' ? '_' : *text;
        if (a != b) return false;
    }
    return !*name && !*text;
}

static const char *const withouts[SIM_LIFTS] = {
    "",
#define LIFT(id, without) without,
#include "lifts.def"
#undef LIFT
};

const char *sim_lift_without(enum sim_lift l) { return withouts[(unsigned)l < SIM_LIFTS ? l : SIM_LIFT_NONE]; }

static const struct lifted {
    enum sim_lift lift;
    const char *key, *by;
} lifted[] = {
#define TIME(f, lift, by, unit, meaning)                                    {SIM_LIFT_##lift, #f, by},
#define TIME_OPTION(f, lift, by, otherwise, unit, meaning)                  {SIM_LIFT_##lift, #f, by},
#define TIME_INT(f, lift, by, least, most, unit, meaning)                   {SIM_LIFT_##lift, #f, by},
#define TIME_INT_OPTION(f, lift, by, least, most, otherwise, unit, meaning) {SIM_LIFT_##lift, #f, by},
#include "keys.def"
};

size_t sim_lift_changes(enum sim_lift l, char *out, size_t size)
{
    size_t used = 0;
    if (size) *out = 0;
    for (size_t i = 0; i < sizeof lifted / sizeof *lifted; i++)
        if (lifted[i].lift == l && l != SIM_LIFT_NONE)
            used += (size_t)snprintf(used < size ? out + used : NULL, used < size ? size - used : 0, "%s%s=%s",
                                     used ? " " : "", lifted[i].key, lifted[i].by);
    return used;
}

int sim_card_set(sim_card *card, const char *key, const char *value, sim_error *err)
{
    const struct key *k = NULL;
    char what[160], number[64];
    for (int i = 0; i < (int)KEYS; i++)
        if (names(&keys[i], key)) k = &keys[i];
    if (!k || k->kind == KEY_TEXT) {
        sim_fail(err, SIM_E_ARGUMENT, "a card has no value named %.60s", key);
        sim_hint(err, "`device` lists the values of the card in use.");
        return SIM_E_ARGUMENT;
    }
    if (is_time(k) && !card->timing.known)
        return sim_fail(err, SIM_E_ARGUMENT, "the %s has no clock: its card file gives no times", card->title);
    size_t n = strlen(value);
    double d = 0, times = 0;
    if (n && n < sizeof number && value[n - 1] == 'x') {
        char *end;
        memcpy(number, value, n - 1);
        number[n - 1] = 0;
        times = strtod(number, &end);
        if (end == number || *end || !(times >= 0 && times <= 1e6))
            return sim_fail(err, SIM_E_ARGUMENT, "%.40s is not a factor: write 2x or 0.5x", value);
        d = get(card, k) * times;
        if (k->kind != KEY_REAL) d = (double)(long long)(d + 0.5);
        snprintf(number, sizeof number, "%.17g", d);
        value = number;
    }
    if (!parse(k, value, &d, what, sizeof what)) return sim_fail(err, SIM_E_ARGUMENT, "%s", what);
    put(card, k, d);
    return SIM_OK;
}
